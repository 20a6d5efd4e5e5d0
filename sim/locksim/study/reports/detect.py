"""Detection of a text's format, and its tables."""

from __future__ import annotations

from locksim.study.reports import lock_stat, lockmeter, perf_lock
from locksim.study.reports.errors import ReportError
from locksim.study.reports.table import LockTable

FORMATS = ("lockmeter", "lock_stat", "perf")


def parse(
    text: str,
    format: str | None = None,  # noqa: A002 - the option's name
    *,
    cpus: int | None = None,
    window_ns: float | None = None,
) -> list[LockTable]:
    """Read a text of lock statistics.

    Arguments:
        format: ``lockmeter``, ``lock_stat`` or ``perf``; by default detected.
        cpus, window_ns: for formats without them.

    Raises:
        ReportError: the format is unknown, or the text has none of the formats.
    """
    match format or _guess(text):
        case "lockmeter":
            return lockmeter.parse(text, cpus=cpus, window_ns=window_ns)
        case "lock_stat":
            return lock_stat.parse(text, cpus=cpus, window_ns=window_ns)
        case "perf":
            return perf_lock.parse(text, cpus=cpus, window_ns=window_ns)
        case unknown:
            raise ReportError(f"unknown format {unknown!r}: write {', '.join(FORMATS)}")


def _guess(text: str) -> str:
    if "lock_stat version" in text or any(map(lock_stat.is_row, text.splitlines())):
        return "lock_stat"
    if any(map(perf_lock.is_heading, text.splitlines())):
        return "perf"
    if any(head in text for head in ("SPINLOCKS", "RWLOCK READS", "RWLOCK WRITES")):
        return "lockmeter"
    raise ReportError(
        "the text is not in a known format\nhelp: give lockmeter's tables (SPINLOCKS, RWLOCK "
        "READS …), /proc/lock_stat (lock_stat version …) or 'perf lock contention' (contended, "
        "total wait …) with their headings; or name the format with --format"
    )
