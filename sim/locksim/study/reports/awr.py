"""Shares of the CPUs' time as in long-2013: %system, %user, and % in the spinlock code.

The source took the first two from Oracle's AWR, which covers all CPUs' time including idle time. It
took the last from ``perf``, which covers only the time when a CPU runs. The same holds here: %user
and %system are shares of all CPUs' time. %spinlock is the time inside the methods of metered locks,
as a share of the time that is not idle. A CPU that waits for a line inside a lock counts as inside
the lock, as in ``perf``.

Time in a workload's own methods counts as user, time in other methods as system. If a workload does
the kernel's work in its own method, that time counts as user. Time in locks is part of %system, as
in AWR.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from locksim.study.reports.calls import CallProfile

__all__ = ["Shares", "shares", "table", "text"]

HEADS = ("% System", "% User", "% Idle", "% spinlock")


@dataclass(frozen=True, slots=True)
class Shares:
    """Fractions: user, system and idle of all CPUs' time, spinlock of the time that is not idle."""

    user: float
    system: float
    idle: float
    spinlock: float


def shares(profile: CallProfile) -> Shares:
    """The shares of a profile."""
    whole = profile.total_ps or 1
    lock, idle = profile.part_ps("lock"), profile.part_ps("idle")
    return Shares(
        user=profile.part_ps("user") / whole,
        system=(profile.part_ps("system") + lock) / whole,
        idle=idle / whole,
        spinlock=lock / (whole - idle) if whole > idle else 0.0,
    )


def text(found: Shares) -> str:
    """Two lines: headings and percentages with one decimal, as in the source."""
    return table({"": found})


def table(rows: Mapping[str, Shares]) -> str:
    """The same with a line for each row, its name in front."""
    lines: list[tuple[str, ...]] = [("", *HEADS)]
    for name, one in rows.items():
        values = (one.system, one.user, one.idle, one.spinlock)
        lines.append((name, *(f"{100 * value:.1f}" for value in values)))
    names = max(len(line[0]) for line in lines)
    return "".join(
        ("  " * bool(names))
        .join([f"{line[0]:<{names}}", "  ".join(f"{cell:>8}" for cell in line[1:])])
        .rstrip()
        + "\n"
        for line in lines
    )
