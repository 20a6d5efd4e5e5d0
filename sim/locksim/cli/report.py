"""Read and check a table of lock statistics (lockmeter, perf)."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich.markup import escape
from typing_extensions import TypedDict

from locksim.cli import values
from locksim.cli.options import cpus_of
from locksim.study.reports import numbers
from lockui import tables
from lockui.arguments import bounded
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import say
from lockui.errors import UsageError
from lockui.numbers import significant
from lockui.quantities import Time
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

    from locksim.study.reports.identities import Checked
    from locksim.study.reports.table import LockRow, LockTable

_SIDED = ("readers_max", "busy_ns", "wait_ww_ns", "spin_ww")

app = typer.Typer(add_completion=False)


class BreachEntry(TypedDict):
    """An equation that a row breaks; its sides are intervals, as printed numbers are rounded."""

    row: str
    identity: str
    left: tuple[float, float]
    right: tuple[float, float]
    says: str


class IdentitiesEntry(TypedDict):
    """How many equations hold (``held``, by name), and those that do not.

    ``window_ns`` is the window that the rows imply, as an interval, if the text names none.
    ``agree`` counts the rows with this window, and those that imply one.
    """

    window_ns: tuple[float, float] | None
    agree: tuple[int, int]
    held: dict[str, int]
    breaches: list[BreachEntry]


class TableEntry(TypedDict):
    """A table. A row has the columns that its source has, shares as fractions, times in ns."""

    source: str
    system: str
    cpus: int | None
    window_ns: float | None
    notes: list[str]
    locks: list[dict[str, Any]]
    identities: IdentitiesEntry


class ReportAnswer(TypedDict):
    """The tables of a text."""

    file: str
    tables: list[TableEntry]


@command(app)
def report(
    file: Annotated[Path, typer.Argument(help="file with the text; - is standard input")],
    format_: Annotated[
        str | None,
        Detail(
            "lockmeter, lock_stat or perf", default="detected", values=among(values.report_formats)
        ),
    ] = None,
    cpus: Annotated[
        int | None,
        Detail("of the measured machine; perf and lock_stat do not say; without it no % CPU"),
    ] = None,
    window: Annotated[Time | None, Detail("without it no UTIL and no % CPU")] = None,
) -> Report[ReportAnswer]:
    """Print a measured table in the simulator's form, and the rows that break an equation.

    An inconsistent table is still printed. Exit code 2: the text is not such a table.
    """
    from locksim.study.reports import detect
    from locksim.study.reports.errors import ReportError
    from locksim.study.reports.identities import check

    if cpus is not None:
        bounded(cpus, "--cpus", 1, 1 << 20)
    if window is not None and not window:
        raise UsageError(f"--window must be above 0 (got {window})")
    try:
        found = detect.parse(
            _read(file), format_, cpus=cpus, window_ns=None if window is None else window.ns
        )
    except ReportError as error:
        raise ReportError(f"{file}: {error}") from error
    checked = [check(table) for table in found]
    document = ReportAnswer(
        file=str(file),
        tables=[
            cast("TableEntry", {**table.to_json(), "identities": one.to_json()})
            for table, one in zip(found, checked, strict=True)
        ],
    )

    def show(view: Console) -> None:
        for i, (table, one) in enumerate(zip(found, checked, strict=True)):
            if i:
                say("", view)
            _print(view, table, one)

    return Report(document, show)


def _read(file: Path) -> str:
    if str(file) == "-":
        return sys.stdin.read()
    try:
        return file.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(
            f"{file}: cannot be read ({error.strerror}); name a text file, or - for standard input"
        ) from error
    except UnicodeDecodeError as error:
        raise UsageError(
            f"{file}: is not UTF-8 text (byte {error.start}); save the file as UTF-8"
        ) from error


def _print(output: Console, table: LockTable, checked: Checked) -> None:
    where = "" if table.cpus is None else f", {cpus_of(table.cpus)}"
    span = "" if table.window_ns is None else f", {table.window_ns / 1e9:,.6g} s"
    system = f"  {escape(table.system)}" if table.system else ""
    output.print(f"[bold]{escape(table.source)}[/bold]{system}{where}{span}")
    for note in table.notes:
        output.print(note, markup=False)
    view = tables.table()
    for name in ("UTIL", "CON", "HOLD", "max", "WAIT", "max", "% CPU", "TOTAL"):
        tables.add(view, name, right=True)
    tables.add(view, "NAME", fold=True)
    for row in table.rows:
        view.add_row(*_values(row), escape(_name(row)))
    tables.print_table(output, view)
    _print_sides(output, table.rows)
    output.print()
    for line in _verdict(table, checked):
        output.print(line, markup=False)


def _print_sides(output: Console, rows: list[LockRow]) -> None:
    """Print the columns of readers or writers only, if any is there."""
    sided = [row for row in rows if any(getattr(row, name) is not None for name in _SIDED)]
    if not sided:
        return
    output.print()
    view = tables.table()
    for name in ("RDRS", "RDR BUSY", "max", "WAIT WW", "max", "SPIN WW"):
        tables.add(view, name, right=True)
    tables.add(view, "NAME", fold=True)
    for row in sided:
        most = tables.DASH if row.readers_max is None else str(row.readers_max)
        times = (row.busy_ns, row.busy_max_ns, row.wait_ww_ns, row.wait_ww_max_ns)
        shares = (*(_time(time or None) for time in times), _percent(row.spin_ww))
        view.add_row(most, *shares, escape(_name(row)))
    tables.print_table(output, view)


def _values(row: LockRow) -> list[str]:
    return [
        _percent(row.util),
        _percent(row.con),
        _time(row.hold_ns),
        _time(row.hold_max_ns),
        _time(row.wait_ns or None),
        _time(row.wait_max_ns or None),
        _percent(row.cpu_share),
        f"{row.total:,.0f}" if row.total is not None else f"({row.contended or 0:,.0f})",
    ]


def _name(row: LockRow) -> str:
    kind = row.type or ("" if row.kind == "spin" else row.kind)
    side = f" ({kind})" if kind and not row.caller else ""
    return f"  {row.caller}" if row.caller else f"{row.name}{side}"


def _verdict(table: LockTable, checked: Checked) -> list[str]:
    """Return the findings about the equations, one line each."""
    lines = []
    if any(row.total is None for row in table.rows):
        lines.append("  (n): contended acquisitions only, since the source has no total")
    low, high = checked.window_ns or (0.0, 0.0)
    if table.window_ns is None and checked.window_ns is not None:
        lines.append(
            f"  window: {significant(low / 1e9)} to {significant(high / 1e9)} s "
            "by UTIL x T = HOLD x TOTAL "
            f"({checked.agree[0]} of {checked.agree[1]} rows agree)"
        )
    held = ", ".join(f"{name} {n}" for name, n in checked.held.items())
    lines.append(f"  equations that hold: {held or 'none (no row has all values of one)'}")
    lines += [f"  broken: {b.row}: {b.identity}: {b.says}" for b in checked.breaches]
    return lines


def _percent(share: float | None) -> str:
    return tables.DASH if share is None else numbers.percent(share)


def _time(time_ns: float | None) -> str:
    return tables.DASH if time_ns is None else numbers.time(time_ns)
