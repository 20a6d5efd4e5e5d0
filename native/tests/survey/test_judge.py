"""Trials that were disturbed, each in one way."""

from __future__ import annotations

from typing import Any

from locknative.survey.judge import disturbances
from locknative.survey.speed import SpeedCheck


def tally(wall_ns: int = 1_000_000, cpu_ns: int = 1_000_000, turn_ns: float = 0.25) -> Any:
    """What one thread did."""
    return {"wall_ns": wall_ns, "cpu_ns": cpu_ns, "turn_ns": turn_ns}


def judged(*tallies: Any, steal_ticks: int = 0, **options: Any) -> tuple[str, ...]:
    """Judge a trial of these threads, on a machine whose iterations take 0.25 ns."""
    return disturbances(tallies, steal_ticks, SpeedCheck([[0.25], [0.25, 0.25]]), **options)


def test_left_alone() -> None:
    """99 % of the CPU is enough."""
    assert () == judged(tally(), tally(cpu_ns=990_000))


def test_the_cpu_was_shared() -> None:
    """Less than that is reported with the share; a probe that sleeps is exempt."""
    slow = tally(cpu_ns=989_000)
    assert ("a thread had its CPU for 98.9% of the time",) == judged(tally(), slow)
    assert () == judged(tally(), slow, sleeps=True)


def test_stolen() -> None:
    """A tick is enough."""
    assert ("the hypervisor took 3 clock ticks",) == judged(tally(), steal_ticks=3)


def test_not_together() -> None:
    """One thread was late, or all of them ended early."""
    for trial in ((tally(), tally(900_000, 900_000)), (tally(900_000, 900_000),)):
        (why,) = judged(*trial, duration_ns=1_000_000)
        assert why.startswith("the threads ran for 900000 to")


def test_slow() -> None:
    """Private work took twice as long as usual on one thread."""
    (why,) = judged(tally(), tally(turn_ns=0.5))
    assert "took 2.00 times as long" in why
