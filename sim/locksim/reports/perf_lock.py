"""The reader of ``perf lock contention``'s text: waits only, a line a place, a lock or a thread.

perf counts what had to wait, not what was taken at once, so there is no CON, no HOLD and no TOTAL.
Which of its three views it printed stands in its heading: the place that waited (``type caller``),
the lock (``address symbol``), or the thread (``pid comm``). Call chains under a line are skipped.
Times are cut to two decimals of their unit, each by itself.
"""

from __future__ import annotations

import re

from locksim.reports import numbers
from locksim.reports.errors import ReportError
from locksim.reports.table import Kind, LockRow, LockTable

__all__ = ["parse"]

_HEAD = re.compile(
    r"\s*contended\s+total wait\s+max wait\s+avg wait\s+(type\s+caller|address\s+symbol|pid\s+comm)"
)
_TIME = r"([\d.]+)\s+(ns|us|ms|s|m|h)"
_ROW = re.compile(
    rf"\s*(?P<count>\d+)\s+{_TIME}\s+{_TIME}\s+{_TIME}\s+(?P<first>\S+)\s*(?P<rest>.*)"
)
_CHAIN = re.compile(r"\s+(?:0x)?[0-9a-f]{8,}\s+\S+.*")
_TAIL = re.compile(r"=== output for debug")
_TYPE_AT_END = re.compile(r"(.*\S)\s+\((\S+)\)")


def parse(text: str, *, cpus: int | None = None, window_ns: float | None = None) -> list[LockTable]:
    """Read perf's text.

    Arguments:
        cpus: of the machine. window_ns: how long perf looked. With both the share of all CPUs' time
            can be told, where waiting was spinning.

    Returns:
        One table.

    Raises:
        ReportError: no heading, or a line below it that is no row.
    """
    lines = text.splitlines()
    start = next((i for i, line in enumerate(lines) if _HEAD.match(line)), None)
    if start is None:
        raise ReportError(
            "the heading 'contended  total wait  max wait  avg wait …' was not found\n"
            "mend: give the text of 'perf lock contention' whole"
        )
    head = _HEAD.match(lines[start])
    view = head[1].split()[0] if head else ""
    rows = []
    for number, line in enumerate(lines[start + 1 :], start + 2):
        if _TAIL.match(line):
            break
        found = _ROW.fullmatch(line)
        if found is not None:
            rows.append(_row(found, view, cpus, window_ns))
        elif line.strip() and not _CHAIN.fullmatch(line):
            raise ReportError(
                f"line {number}: no row of perf lock contention: {line.strip()!r}\nmend: a row is "
                "a count, three times with their units (1.65 ms), and the columns of the heading"
            )
    if not rows:
        raise ReportError("nothing was contended: the table has no row\nmend: record for longer")
    return [LockTable("perf", rows, cpus, window_ns, "perf lock contention")]


def _row(found: re.Match[str], view: str, cpus: int | None, window_ns: float | None) -> LockRow:
    count, first, rest = int(found["count"]), found["first"], found["rest"].strip()
    (total, d0), (longest, d1), (mean, d2) = (
        numbers.read(found[i] + found[i + 1]) for i in (2, 4, 6)
    )
    word = ""
    if view == "type":
        word, name = first, rest or "?"
    elif view == "address":
        named = _TYPE_AT_END.fullmatch(rest)
        word = named[2] if named else ""
        name = named[1] if named else rest or first
    else:
        name = f"{rest or '?'} (pid {first})"
    kind: Kind = "spin"
    if word.endswith((":R", ":W")):
        kind = "read" if word.endswith(":R") else "write"
    return LockRow(
        name,
        kind,
        wait_ns=mean,
        wait_max_ns=longest,
        wait_total_ns=total,
        contended=count,
        cpu_share=total / window_ns / cpus if window_ns and cpus else None,
        type=word,
        # Cut off, not rounded: a whole unit of the last digit; the mean is of whole nanoseconds.
        half={"wait_total_ns": 2 * d0, "wait_max_ns": 2 * d1, "wait_ns": max(2 * d2, 1.0)},
    )
