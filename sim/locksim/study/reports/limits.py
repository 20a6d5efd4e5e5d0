"""Values of a table that no machine can produce, and what that does to a conclusion.

An equation (:mod:`identities`) compares columns of a row. A limit compares a value with the
measurement itself: its window, its CPUs, and how spinning works. A table that goes beyond a limit
is still printed, because its other rows may be right.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from locksim.study.reports.errors import ReportError
from locksim.study.reports.table import LockRow, LockTable
from lockui.numbers import significant

LONGEST_SPIN_NS = 10e6
"""Ten milliseconds, several ticks of the scheduler: few CPUs never spin so long."""
LONGEST_SECTION_NS = 1e6
"""A millisecond: sections under a spinlock are shorter, but a queue waits for all before it."""
MOST_CPUS = 8192
"""Of Linux, where the table does not say how many there are."""
LONGEST_NS = 86_400e9
"""A day: no such table is counted so long for one wait."""

_NO_BEGIN = (
    "the tool missed the begin of an event: the row's mean and total are worthless, "
    "its count may be right"
)
_SPINS = ("spinlock", "rwlock:R", "rwlock:W")
_ORDERED = (
    ("wait_min_ns", "wait_ns"),
    ("wait_ns", "wait_max_ns"),
    ("wait_max_ns", "wait_total_ns"),
    ("hold_min_ns", "hold_ns"),
    ("hold_ns", "hold_max_ns"),
    ("hold_max_ns", "hold_total_ns"),
)


@dataclass(frozen=True, slots=True)
class BeyondLimit:
    """A value beyond a limit.

    Arguments:
        row: its label, or empty for the table. says: the value and the limit. means: what can no
            longer be concluded.
    """

    row: str
    says: str
    means: str


def beyond(table: LockTable) -> list[BeyondLimit]:
    """The values of a table that cannot be, or that a name hides."""
    return [*_whole(table), *(one for row in table.locks for one in _row(table, row))]


def refuse_swapped(table: LockTable) -> None:
    """Refuse a table whose columns are in another order than its heading says.

    Raises:
        ReportError: in all of two rows or more, a value is above another that bounds it.
    """
    for low, high in _ORDERED:
        sides = [
            (row.low(low), row.high(high))
            for row in table.locks
            if getattr(row, low) and getattr(row, high) is not None
        ]
        if len(sides) > 1 and all(a is not None and b is not None and a > b for a, b in sides):
            raise ReportError(
                f"{table.system or table.source}: {_title(low)} is above {_title(high)} in every "
                "row; are the columns swapped?\nhelp: give the table with the heading that the "
                "tool printed"
            )


def _title(field: str) -> str:
    what, *which = field.removesuffix("_ns").split("_")
    word = {"min": "shortest", "max": "longest", "total": "total", "": "mean"}["".join(which)]
    return f"the {word} {what}"


def spins(table: LockTable, row: LockRow) -> bool:
    """Whether a row's waits are known to be spun."""
    return row.type in _SPINS or (table.source == "lockmeter" and not row.type)


def lost_event(table: LockTable, row: LockRow) -> BeyondLimit | None:
    """Why a row's mean and total wait are worthless: its longest wait cannot be."""
    longest = row.wait_max_ns or 0.0
    if longest > LONGEST_NS:
        return BeyondLimit(row.label, f"{_title('wait_max_ns')} is {_s(longest)}", _NO_BEGIN)
    queue_ns = max(LONGEST_SPIN_NS, (table.cpus or MOST_CPUS) * LONGEST_SECTION_NS)
    if spins(table, row) and longest > queue_ns:
        return BeyondLimit(
            row.label,
            f"a spin of {_s(longest)} is longer than a queue of "
            f"{table.cpus or MOST_CPUS:,} CPUs with sections of 1 ms",
            "a virtual CPU was stopped, or perf lost an event: do not use the row's mean and total",
        )
    return None


def _whole(table: LockTable) -> Iterator[BeyondLimit]:
    waited = sum(row.wait_total_ns or 0.0 for row in table.locks if spins(table, row))
    if table.cpus and table.window_ns and waited > table.cpus * table.window_ns:
        yield BeyondLimit(
            "",
            f"spin waits of {_s(waited)} together are more than all CPUs' time, "
            f"{table.cpus} x {_s(table.window_ns)}",
            "no share of CPU time can be computed from this table",
        )
    cut = Counter(row.label for row in table.locks if row.name.endswith("..."))
    if many := [name for name, n in cut.items() if n > 1]:
        yield BeyondLimit(
            "",
            f"{many[0]} is the cut name of {cut[many[0]]} rows",
            "these may be different locks: neither add them up nor compare them by name",
        )
    unknown = sum(row.name == "Unknown" for row in table.locks)
    if unknown > 1:
        yield BeyondLimit(
            "", f"{unknown} rows are called Unknown", "these are different places: do not add them"
        )


def _row(table: LockTable, row: LockRow) -> Iterator[BeyondLimit]:
    lost = lost_event(table, row)
    if lost:
        yield lost
    for field in ("wait_max_ns", "hold_max_ns"):
        longest = getattr(row, field) or 0.0
        if longest > LONGEST_NS:
            if field != "wait_max_ns":
                yield BeyondLimit(row.label, f"{_title(field)} is {_s(longest)}", _NO_BEGIN)
        elif table.window_ns and longest > table.window_ns * (1 + 1e-6):
            yield BeyondLimit(
                row.label,
                f"{_title(field)}, {_s(longest)}, is above the window of {_s(table.window_ns)}",
                "the window is wrong, and with it every UTIL and % CPU",
            )
    if row.util is not None and row.util > 1 + 1e-6 and row.kind != "read":
        if table.source == "lock_stat":
            yield BeyondLimit(
                row.label,
                f"held for {significant(row.util)} times the window",
                f"the class has {math.ceil(row.util)} locks or more: no single lock's "
                "utilisation follows from it",
            )
        else:
            yield BeyondLimit(
                row.label,
                f"held for {significant(row.util)} times the window",
                "one lock cannot be: the window or the holds are wrong",
            )


def _s(time_ns: float) -> str:
    if time_ns >= 3600e9:
        return f"{time_ns / 3600e9:,.1f} h"
    return f"{significant(time_ns / 1e9)} s"
