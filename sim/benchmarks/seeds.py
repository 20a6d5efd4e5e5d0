"""Dependence of an experiment's cells on its seeds: the whole table with several seeds.

    python sim/benchmarks/seeds.py long-2013-redo long-2013-awr
    python sim/benchmarks/seeds.py long-2013-redo --tables 20 --column change --within 4

Table k is that of ``locklab paper reproduce NAME --replications R --seed 1+(k-1)R``. The output is
Markdown: the mean over the tables, the standard deviation of a table, and the largest error. With
``--within`` it also counts the tables with a smaller error. It uses one process; a table of
long-2013 takes about ten seconds.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from operator import attrgetter
from statistics import mean, stdev

from rich.console import Console
from rich.progress import track

from locksim.papers import Cell, find

HEADS = "row | column | published | mean | standard deviation | mean error | largest error"


def main() -> int:
    """Simulate the tables, and print their statistics."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="+", metavar="NAME", help="experiments")
    parser.add_argument("--tables", type=int, default=5, help="number of tables (at least 2)")
    parser.add_argument("--replications", type=int, default=5, help="replications of each table")
    parser.add_argument("--column", action="append", help="show only this column (repeat for more)")
    parser.add_argument("--within", type=float, help="count the tables with at most this error")
    asked = parser.parse_args()
    if asked.tables < 2 or asked.replications < 1:
        parser.error("--tables must be at least 2, --replications at least 1")
    heads = HEADS if asked.within is None else f"{HEADS} | within {asked.within:g}"
    print(f"| {heads} |\n|---|---|{'---:|' * (heads.count('|') - 1)}")
    for name in asked.names:
        tables = []
        for k in _tracked(range(asked.tables), name):
            options = {"replications": asked.replications, "seed": 1 + k * asked.replications}
            tables.append(find(name).reproduce(**options).cells)
        for cells in zip(*tables, strict=True):
            if not asked.column or cells[0].column in asked.column:
                print(line(cells, asked.within))
    return 0


def line(cells: Sequence[Cell], within: float | None) -> str:
    """A row of the output.

    Arguments:
        cells: one cell in each of the tables.
        within: count the tables with at most this error, in the cell's unit.
    """
    row, column, printed, goal = attrgetter("row", "column", "published", "corrected")(cells[0])
    found = [cell.simulated for cell in cells]
    shown = [row, column, str(printed), f"{mean(found):.2f}", f"{stdev(found):.2f}"]
    off = [] if goal is None else [value - goal for value in found]
    shown += [f"{mean(off):+.2f}", f"{max(off, key=abs):+.2f}"] if off else ["-", "-"]
    if within is not None:
        shown.append(f"{sum(abs(value) <= within for value in off)} of {len(off)}")
    return f"| {' | '.join(shown)} |"


def _tracked(numbers: Iterable[int], name: str) -> Iterable[int]:
    return track(list(numbers), name, console=Console(stderr=True))


if __name__ == "__main__":
    sys.exit(main())
