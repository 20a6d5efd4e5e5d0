"""Read and check a lock report: lockmeter, lock_stat, perf, klockstat, mutrace, c2c."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, NotRequired, cast

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

    from locksim.study.reports import reading
    from locksim.study.reports.gain import Bound
    from locksim.study.reports.identities import Checked
    from locksim.study.reports.limits import BeyondLimit
    from locksim.study.reports.table import LockRow, LockTable

_SIDED = ("readers_max", "busy_ns", "wait_ww_ns", "spin_ww")
_LINES = ("hitm_local", "hitm_remote", "peer", "records", "loads", "stores")

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


class BeyondEntry(TypedDict):
    """A value beyond a limit, of a row or (``row`` is empty) of the table; what that means."""

    row: str
    says: str
    means: str


class BoundEntry(TypedDict):
    """What a row can matter: its share of all waits, and bounds (null: not known).

    ``waiting`` is null where the row's waits cannot be (see ``limits``).
    """

    row: str
    waiting: float | None
    gain: float | None
    ceiling: float | None
    can_matter: bool | None


class TableEntry(TypedDict):
    """A table. A row has the columns that its source has, shares as fractions, times in ns.

    ``bounds`` are there with ``--explain``.
    """

    source: str
    system: str
    cpus: int | None
    window_ns: float | None
    notes: list[str]
    locks: list[dict[str, Any]]
    identities: IdentitiesEntry
    limits: list[BeyondEntry]
    bounds: NotRequired[list[BoundEntry]]


class ReportAnswer(TypedDict):
    """The tables of a text; ``skipped`` counts the lines that are no tool's, by kind."""

    file: str
    tables: list[TableEntry]
    skipped: dict[str, int]


@command(app)
def report(
    file: Annotated[Path, typer.Argument(help="file with the text; - is standard input")],
    format_: Annotated[
        str | None,
        Detail(
            "'locklab show format' lists them",
            default="detected",
            values=among(values.report_formats),
        ),
    ] = None,
    cpus: Annotated[
        int | None,
        Detail("of the measured machine; perf and lock_stat do not say; without it no % CPU"),
    ] = None,
    window: Annotated[Time | None, Detail("without it no UTIL and no % CPU")] = None,
    explain: Annotated[bool, Detail("which rows can matter for throughput at all")] = False,
) -> Report[ReportAnswer]:
    """Print a measured lock report in the simulator's form, and what is wrong with it.

    Lines that are not the tool's are skipped and counted. An inconsistent table is still printed.
    Exit code 2: the text is not such a report, or a row is damaged.
    """
    from locksim.study.reports.gain import bounds
    from locksim.study.reports.identities import check
    from locksim.study.reports.limits import beyond

    if cpus is not None:
        bounded(cpus, "--cpus", 1, 1 << 20)
    if window is not None and not window:
        raise UsageError(f"--window must be above 0 (got {window})")
    report = read_tables(file, format_, cpus=cpus, window_ns=None if window is None else window.ns)
    found = [Finding(table, check(table), beyond(table), bounds(table)) for table in report.tables]
    document = ReportAnswer(
        file=str(file),
        tables=[one.to_json(explain=explain) for one in found],
        skipped=dict(report.skipped),
    )

    def show(view: Console) -> None:
        for i, one in enumerate(found):
            if i:
                say("", view)
            _print(view, one)
            if explain:
                _print_bounds(view, one)
        if report.skips:
            say(f"\n{report.skips}", view)

    return Report(document, show)


@dataclass(frozen=True)
class Finding:
    """A table, and what was found about it."""

    table: LockTable
    checked: Checked
    limits: list[BeyondLimit]
    bounds: list[Bound]

    def to_json(self, *, explain: bool) -> TableEntry:
        """The entry of the document."""
        entry: dict[str, Any] = {
            **self.table.to_json(),
            "identities": self.checked.to_json(),
            "limits": [asdict(one) for one in self.limits],
        }
        if explain:
            entry["bounds"] = [one.to_json() for one in self.bounds]
        return cast("TableEntry", entry)


def read_tables(
    file: Path, format_: str | None, *, cpus: int | None, window_ns: float | None
) -> reading.Report:
    """Return the tables of a text.

    Arguments:
        file: with the text; ``-`` is standard input. format_: of the text; None: found out.
        cpus, window_ns: of the measurement, where the text does not name them.

    Raises:
        ReportError: the text is not a report, or a row is damaged.
        UsageError: the file cannot be read.
    """
    from locksim.study.reports import detect
    from locksim.study.reports.errors import ReportError
    from locksim.study.reports.lines import decode

    try:
        with _opened(file) as stream:
            return detect.read_report(decode(stream), format_, cpus=cpus, window_ns=window_ns)
    except ReportError as error:
        raise ReportError(f"{file}: {error}") from error


@contextmanager
def _opened(file: Path) -> Iterator[BinaryIO]:
    if str(file) == "-":
        yield sys.stdin.buffer
        return
    from locksim.study.reports.lines import check_size

    try:
        stream = file.open("rb")
    except OSError as error:
        raise UsageError(
            f"{file}: cannot be read ({error.strerror}); name a text file, or - for standard input"
        ) from error
    with stream:
        check_size(os.fstat(stream.fileno()).st_size)
        yield stream


def _print(output: Console, found: Finding) -> None:
    table = found.table
    where = "" if table.cpus is None else f", {cpus_of(table.cpus)}"
    span = "" if table.window_ns is None else f", {table.window_ns / 1e9:,.6g} s"
    system = f"  {escape(table.system)}" if table.system else ""
    output.print(f"[bold]{escape(table.source)}[/bold]{system}{where}{span}")
    for note in table.notes:
        output.print(note, markup=False)
    if any(getattr(row, name) is not None for row in table.rows for name in _LINES):
        _print_lines(output, table.rows)
    else:
        _print_locks(output, table.rows)
        _print_sides(output, table.rows)
    output.print()
    for line in _verdict(found):
        output.print(line, markup=False)


def _print_locks(output: Console, rows: list[LockRow]) -> None:
    view = tables.table()
    for name in ("UTIL", "CON", "HOLD", "max", "WAIT", "max", "% CPU", "TOTAL"):
        tables.add(view, name, right=True)
    tables.add(view, "NAME", fold=True)
    for row in rows:
        view.add_row(*_values(row), escape(_name(row)))
    tables.print_table(output, view)


def _print_lines(output: Console, rows: list[LockRow]) -> None:
    """Print cache lines, and the places that touched them."""
    view = tables.table()
    for name in ("HITM", "remote", "peer", "samples", "loads", "stores"):
        tables.add(view, name, right=True)
    tables.add(view, "LINE", fold=True)
    for row in rows:
        found = (getattr(row, name) for name in _LINES)
        view.add_row(*(_count(value) for value in found), escape(_name(row)))
    tables.print_table(output, view)


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
        _count(row.total) if row.total is not None else f"({_count(row.contended)})",
    ]


def _name(row: LockRow) -> str:
    kind = row.type or ("" if row.kind == "spin" else row.kind)
    side = f" ({kind})" if kind and not row.caller else ""
    return f"  {row.caller}" if row.caller else f"{row.known_as}{side}"


def _verdict(found: Finding) -> list[str]:
    """Return the findings about equations and limits, one line each."""
    from locksim.study.reports.identities import MEANS

    lines = []
    table, checked = found.table, found.checked
    has_lines = any(row.hitm_local is not None or row.records is not None for row in table.rows)
    if not has_lines and any(row.total is None for row in table.rows):
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
    for b in checked.breaches:
        lines.append(f"  broken: {b.row}: {b.identity}: {b.says}; {MEANS[b.identity]}")
    for one in found.limits:
        row = f"{one.row}: " if one.row else ""
        lines.append(f"  warning: {row}{one.says}; {one.means}")
    return lines


def _print_bounds(output: Console, found: Finding) -> None:
    """Print which rows can matter for throughput."""
    from locksim.study.reports.gain import NOISE

    rows = [one for one in found.bounds if one.waiting]
    lost = sum(one.waiting is None for one in found.bounds)
    if not rows:
        output.print(f"\n  no row has {'possible ' if lost else ''}waits: nothing to gain here")
        return
    known = rows[0].can_matter is not None
    matter = [one for one in rows if one.can_matter] if known else rows
    output.print()
    view = tables.table()
    for name in ("GAIN", "CEILING", "OF WAITS"):
        tables.add(view, name, right=True)
    tables.add(view, "NAME", fold=True)
    for one in matter:
        gain = tables.DASH if not known else "no bound" if one.gain is None else _percent(one.gain)
        ceiling = tables.DASH if one.ceiling is None else f"{significant(one.ceiling)} x"
        view.add_row(gain, ceiling, _percent(one.waiting), escape(one.row))
    if matter:
        tables.print_table(output, view)
    for line in _explained(len(rows) - len(matter), lost, NOISE, known=known, matter=bool(matter)):
        output.print(line, markup=False)


def _explained(noise: int, lost: int, least: float, *, known: bool, matter: bool) -> list[str]:
    lines = []
    if not known:
        lines += [
            "  GAIN needs --cpus (those that the load keeps busy) and --window",
            "  OF WAITS: share of all waits in this table",
        ]
    elif matter:
        lines += [
            "  GAIN: throughput can grow by this much at most if the row's waits go away",
            "  CEILING: at this multiple of today's throughput one such lock is always held",
        ]
    if noise:
        lines.append(f"  noise: {_rows(noise)} with less than {_percent(least)} to gain")
    if lost:
        lines.append(f"  left out: {_rows(lost)} with waits that cannot be (warnings above)")
    return lines


def _rows(number: int) -> str:
    return "1 row" if number == 1 else f"{number} rows"


def _percent(share: float | None) -> str:
    return tables.DASH if share is None else numbers.percent(share)


def _count(value: float | None) -> str:
    return tables.DASH if value is None else f"{value:,.0f}"


def _time(time_ns: float | None) -> str:
    return tables.DASH if time_ns is None else numbers.time(time_ns)
