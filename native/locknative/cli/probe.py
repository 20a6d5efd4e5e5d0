"""Print raw readings of the memory probes (for a profile: machine calibrate).

In JSON values are medians over the good trials, each trial a process; low and high are the 95 %
interval.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typing_extensions import TypedDict

from locknative.calibration.readings import Regime, read
from locknative.cli import values
from locknative.cli.options import Trials
from lockui import tables
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import progress, say
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

    from locknative.survey.cells import Cell


app = typer.Typer(add_completion=False)


class ReadingEntry(TypedDict):
    """A probe on its CPUs."""

    probe: str
    cpus: list[int]
    think: int
    option: int
    median_ns: float
    low_ns: float
    high_ns: float
    trials: int
    rejected: int


class ProbeAnswer(TypedDict):
    """All probes."""

    regime: Regime
    readings: list[ReadingEntry]


@command(app)
def probe(
    trials: Trials,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            help="names of probes from 'locklab show kernel' (default: all)",
            autocompletion=among(values.kernels("probe")),
        ),
    ] = None,
    out: Annotated[Path | None, Detail("a folder, which keeps the trials")] = None,
) -> Report[ProbeAnswer]:
    """Print raw readings of the memory probes (for a profile: machine calibrate).

    Each trial is a process.
    """
    from locknative.calibration.measure import collect_here
    from locknative.errors import unknown
    from locknative.survey import host, topology
    from locknative.survey.cells import probe_cells

    cells = probe_cells(topology.read(), host.llc_kib(), host.memory_kib() // 4)
    known = {cell.kernel for cell in cells}
    for name in names or []:
        if name not in known:
            raise unknown("probe", name, known)
    chosen = [cell for cell in cells if not names or cell.kernel in names]
    plan = trials.plan()
    with tempfile.TemporaryDirectory() as scratch:
        place = out or Path(scratch)
        with progress("probes") as report:
            collect_here(chosen, place, plan, report)
        readings, regime = read(place)
        rejected = _rejected(place)
    rows: list[ReadingEntry] = []
    for cell in chosen:
        if cell not in readings:
            continue
        low, high = readings[cell].interval_ns
        rows.append(
            {
                "probe": cell.kernel,
                "cpus": list(cell.cpus),
                "think": cell.think,
                "option": cell.option,
                "median_ns": readings[cell].value_ns,
                "low_ns": low,
                "high_ns": high,
                "trials": len(readings[cell].trials),
                "rejected": rejected.get(cell, 0),
            }
        )
    document = ProbeAnswer(regime=regime, readings=rows)
    return Report(document, lambda view: _print(view, document))


def _print(output: Console, document: ProbeAnswer) -> None:
    view = tables.table()
    tables.add(view, "probe")
    tables.add(view, "CPUs")
    for name in ("think", "option", "ns", "95 % interval", "trials", "rejected"):
        tables.add(view, name, right=True)
    for row in document["readings"]:
        view.add_row(
            row["probe"],
            ",".join(map(str, row["cpus"])),
            str(row["think"] or ""),
            str(row["option"] or ""),
            tables.digits(row["median_ns"]),
            f"{tables.digits(row['low_ns'])} … {tables.digits(row['high_ns'])}",
            str(row["trials"]),
            str(row["rejected"] or ""),
        )
    tables.print_table(output, view)
    regime = document["regime"]
    if regime.share < 1:
        say(
            "\n  The machine changed during the measurement: handoffs took "
            f"{regime.sentinel_ns:.1f} ns for {regime.share:.0%} of the time;\n  "
            f"{regime.left_out} trials from other times are left out.",
            output,
        )


def _rejected(place: Path) -> dict[Cell, int]:
    from collections import Counter

    from locknative.survey.cells import Cell
    from locknative.survey.folder import records

    return Counter(Cell.of(r["cell"]) for r in records(place) if r["rejected"] is not None)
