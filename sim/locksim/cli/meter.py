"""The lock meter as a table, with lockmeter's names (Bryant and Hawkes, ALS 2000).

One or two locks get a line for each measure, with its meaning. More locks get a line each, as
lockmeter prints them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rich.console import Console
from rich.markup import escape

from locksim.engine.histogram import PERCENTILES
from lockui import tables

__all__ = ["print_meter"]

Row = dict[str, Any]
Measure = tuple[str, str, Callable[[Row], str]]

# Most lock sides that fit side by side, beside the meanings of the measures.
SIDE_BY_SIDE = 2
# Most lines of the table: a workload may have a lock for each of thousands of tasks.
MOST_LINES = 24


def print_meter(output: Console, rows: Sequence[Row]) -> None:
    """Print the meters of the locks; nothing if no lock was taken.

    Arguments:
        output: the console.
        rows: the rows of ``Simulation.by_lock``: one for each lock and side, times in ns, shares as
            fractions; None for a value that was not measured.
    """
    if rows:
        (_print_measures if len(rows) <= SIDE_BY_SIDE else _print_locks)(output, rows)


def _print_measures(output: Console, rows: Sequence[Row]) -> None:
    """Print a line for each measure."""
    view = tables.table()
    tables.add(view, "lock meter")
    tables.add(view, "", fold=True)
    for row in rows:
        tables.add(view, escape(_name(row)), right=True, fold=True)
    for name, meaning, shown in _measures(rows):
        view.add_row(name, meaning, *(shown(row) for row in rows))
    tables.print_table(output, view)


def _measures(rows: Sequence[Row]) -> list[Measure]:
    """Return name, meaning and text of each measure that applies to any of the rows."""
    found: list[Measure] = [
        ("UTIL", "share of time held", lambda r: _percent(r["util"])),
        ("CON", "acquisitions that had to wait", lambda r: _percent(r["con"])),
        ("HOLD", "mean", lambda r: _time(r["hold_ns"])),
        *_percentiles(rows, "hold", _any_time),
        ("", "longest", lambda r: _time(r["hold_max_ns"])),
        ("WAIT", "mean of those that waited", lambda r: _waited(r, "wait_ns")),
        *_percentiles(rows, "wait", _waited),
        ("", "longest", lambda r: _waited(r, "wait_max_ns")),
        ("% CPU", "share of all CPUs' time spent waiting", lambda r: _percent(r["cpu_share"])),
        ("TOTAL", "acquisitions", lambda r: f"{r['total']:,}"),
        ("", "per second", lambda r: _rate(r["per_second"])),
    ]
    if any(row["side"] == "read" for row in rows):
        found.append(("READERS", "most at the same time", _readers))
    if any(row["violations"] for row in rows):
        found.append(("BROKEN", "mutual exclusion violated", lambda r: f"{r['violations']:,}"))
    return found


def _percentiles(rows: Sequence[Row], what: str, text: Callable[..., str]) -> list[Measure]:
    """The lines of the percentiles of a time, if any row has them."""
    found: list[Measure] = []
    for name, thousandths in PERCENTILES.items():
        key = f"{what}_{name}_ns"
        if any(key in row for row in rows):
            found.append(("", f"{thousandths / 10:g} % took at most", partial(text, key=key)))
    return found


def _print_locks(output: Console, rows: Sequence[Row]) -> None:
    """Print a line for each lock."""
    view = tables.table()
    for name in ("UTIL", "CON", "HOLD", "max", "WAIT", "max", "% CPU", "TOTAL"):
        tables.add(view, name, right=True)
    tables.add(view, "NAME", fold=True)
    # The busiest locks in the order of their addresses; a broken lock is always included.
    busiest = sorted(rows, key=lambda r: (r["violations"] or 0, r["util"] or 0.0), reverse=True)[
        :MOST_LINES
    ]
    for r in [row for row in rows if row in busiest][:MOST_LINES]:
        name = _name(r) + (f" BROKEN {r['violations']:,} times" if r["violations"] else "")
        view.add_row(
            _percent(r["util"]),
            _percent(r["con"]),
            _time(r["hold_ns"]),
            _time(r["hold_max_ns"]),
            _waited(r, "wait_ns"),
            _waited(r, "wait_max_ns"),
            _percent(r["cpu_share"]),
            f"{r['total']:,}",
            escape(name),
        )
    tables.print_table(output, view)
    if len(rows) > MOST_LINES:
        output.print(
            f"\n  the {MOST_LINES} of {len(rows):,} locks with the highest UTIL; --json lists all",
            markup=False,
        )
    output.print(
        "\n  UTIL: share of time held. CON: share of acquisitions that had to wait. HOLD, WAIT:\n"
        "  mean and longest, WAIT of those that waited. % CPU: share of CPU time.",
        markup=False,
    )


def _name(row: Row) -> str:
    """Return a lock's name, marked for the readers' side."""
    return f"{row['lock']} (read)" if row["side"] == "read" else str(row["lock"])


def _readers(row: Row) -> str:
    most = row["readers_max"] if row["side"] == "read" else None
    return tables.DASH if most is None else str(most)


def _any_time(row: Row, key: str) -> str:
    return _time(row.get(key))


def _waited(row: Row, key: str) -> str:
    return _time(row.get(key)) if row["con"] else tables.DASH


def _percent(share: float | None) -> str:
    return tables.DASH if share is None else f"{share:.1%}"


def _time(time_ns: float | None) -> str:
    return tables.DASH if time_ns is None else tables.scale_of(time_ns, "ns").text(time_ns)


def _rate(per_second: float) -> str:
    return tables.scale_of(per_second, "1/s").text(per_second)
