"""The formats that are read, and the tables of a text in any of them, or in several."""

from __future__ import annotations

from collections.abc import Iterable

from locksim.study.reports.c2c import CacheLines
from locksim.study.reports.collected import Collected
from locksim.study.reports.errors import ReportError
from locksim.study.reports.klockstat import Klockstat
from locksim.study.reports.limits import refuse_swapped
from locksim.study.reports.lock_stat import LockStat
from locksim.study.reports.lockmeter import Lockmeter
from locksim.study.reports.mutrace import Mutrace
from locksim.study.reports.perf_lock import PerfLock
from locksim.study.reports.perf_report import PerfReport
from locksim.study.reports.reading import Reader, Report, read
from locksim.study.reports.table import LockTable

READERS: dict[str, type[Reader]] = {
    reader.source: reader
    for reader in (Lockmeter, LockStat, PerfLock, PerfReport, Klockstat, Mutrace, CacheLines)
}
FORMATS = tuple(READERS)


def read_report(
    lines: Iterable[str],
    format: str | None = None,  # noqa: A002 - the option's name
    *,
    cpus: int | None = None,
    window_ns: float | None = None,
) -> Report:
    """Read a text of lock statistics, line by line.

    Arguments:
        format: one of ``FORMATS``; by default each line goes to the reader that knows it.
        cpus, window_ns: for formats without them.

    Raises:
        ReportError: the format is unknown, a row is damaged, or there is no row.
    """
    if format is not None and format not in READERS:
        raise ReportError(f"unknown format {format!r}: write {', '.join(FORMATS)}")
    report = Report(cpus, window_ns)
    chosen = list(READERS.values()) if format is None else [READERS[format]]
    read(lines, [Collected, *chosen], report)
    report.tables[:] = [table for table in report.tables if table.rows]
    if not report.tables:
        raise ReportError(_nothing(report))
    report.tables[0].notes.extend(f"not collected: {one}" for one in report.missing)
    for table in report.tables:
        refuse_swapped(table)
    return report


def _nothing(report: Report) -> str:
    """Why there is no table, and what to do."""
    if report.missing:
        return (
            f"the collector got no table; not collected: {'; '.join(report.missing)}\n"
            "help: collect as root, under load, with perf installed"
        )
    if report.headings:
        return (
            f"no row below the heading of {report.headings[-1]}\nhelp: the tool counted nothing: "
            "record for longer, under load; switch lock_stat on with echo 1 > "
            "/proc/sys/kernel/lock_stat"
        )
    skipped = f" ({report.skips})" if report.skips else ""
    return (
        f"no lock report was found{skipped}\nhelp: give the tool's tables with their headings: "
        "lockmeter's (SPINLOCKS …), /proc/lock_stat (lock_stat version …), 'perf lock contention', "
        "'perf lock report', klockstat, mutrace or 'perf c2c report'"
    )


def parse(
    text: str,
    format: str | None = None,  # noqa: A002 - the option's name
    *,
    cpus: int | None = None,
    window_ns: float | None = None,
) -> list[LockTable]:
    """The tables of a text; arguments and errors as in :func:`read_report`."""
    return read_report(text.splitlines(), format, cpus=cpus, window_ns=window_ns).tables
