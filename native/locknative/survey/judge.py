"""Why a trial does not count: what else happened while it ran."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .speed import SpeedCheck, turns_ns

LEAST_SHARE = 0.99
"""The share of its time that a thread must have had its CPU."""
LEAST_TOGETHER = 0.95
"""The shortest thread's time over the longest's, and over the time asked for."""


def disturbances(
    tallies: Sequence[Mapping[str, Any]],
    steal_ticks: int,
    speed: SpeedCheck,
    duration_ns: int = 0,
    sleeps: bool = False,
) -> tuple[str, ...]:
    """Return why a trial is to be rejected; empty when nothing disturbed it.

    Args:
        tallies: what its threads did: ``wall_ns``, ``cpu_ns`` and ``turn_ns`` of each.
        steal_ticks: the time that the hypervisor took from their CPUs, in clock ticks.
        speed: of the trials before it and of this one.
        duration_ns: the time asked for.
        sleeps: whether its threads sleep, so that they need not have their CPUs all the while.
    """
    found = []
    if steal_ticks > 0:
        found.append(f"the hypervisor took {steal_ticks} clock ticks")
    walls = [tally["wall_ns"] for tally in tallies]
    if min(walls) < LEAST_TOGETHER * max(*walls, duration_ns):
        found.append(
            f"the threads ran for {min(walls)} to {max(walls)} ns, not all of them together"
        )
    share = min(tally["cpu_ns"] / tally["wall_ns"] for tally in tallies)
    if share < LEAST_SHARE and not sleeps:
        found.append(f"a thread had its CPU for {share:.1%} of the time")
    slow = speed.warning(turns_ns(tallies))
    return (*found, *([slow] if slow else []))
