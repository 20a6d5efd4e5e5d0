"""Trials of a measured machine: sets are spoiled as they say, and readings have two groups."""

import statistics
from typing import Any

import pytest

from lockgrader.lab.trials import CAUSES, Reading, Trials, of_dataset


def turns(rows: list[dict[str, Any]]) -> list[tuple[float, ...]]:
    """Each trial's times of private work, over the fastest of all."""
    fastest = min(row["turn_ns"] for row in rows)
    found: dict[int, list[float]] = {}
    for row in rows:
        found.setdefault(row["trial"], []).append(row["turn_ns"] / fastest)
    return [tuple(pair) for pair in found.values()]


@pytest.mark.parametrize("which", [0, 1, 2, 3])
@pytest.mark.parametrize("kernel", ["ticket", "mcs", "clh"])
def test_private_work_tells_the_cause(kernel: str, which: int) -> None:
    """A slow clock slows both threads, a neighbour on the core one, distance none."""
    asked = Trials(kernel=kernel, which=which, order=4, seed=9)
    right, slow = asked.right(), turns(asked.rows())
    both = sum(min(pair) > 1.1 for pair in slow)
    one = sum(min(pair) <= 1.1 < max(pair) for pair in slow)
    cause = CAUSES[4][which] if which < 3 else 0
    assert cause == right["cause"]
    wanted = {1: (right["spoiled"], 0), 3: (0, right["spoiled"])}.get(cause, (0, 0))
    assert wanted == (both, one)
    assert (right["spoiled"] == 0) == (cause == 0)


def test_two_groups() -> None:
    """The near group of a ticket lock takes a quarter of the far one's time."""
    right = Trials(kernel="ticket", seed=2).right()
    assert 3 < right["far_ns"] / right["near_ns"] < 6
    assert 0 < right["near"] < right["trials"]


def test_rows_differ_by_seed_and_come_again() -> None:
    """Each student has rows of their own, the same every time."""
    one, other = (Trials(kernel="mcs", seed=seed) for seed in (1, 2))
    assert one.rows() == Trials(kernel="mcs", seed=1).rows()
    assert one.rows() != other.rows()


def test_a_reading_is_near_the_calibration() -> None:
    """The near group is the state of which the profile was made: 27 ns for a handoff."""
    seen = [Reading(reading=Trials(kernel="ticket", seed=seed)).number() for seed in range(20)]
    assert 64 < statistics.median(seen) < 70


def test_the_data_set_has_a_profile() -> None:
    """Checks name it as a machine."""
    assert (of_dataset("vm-2-epyc") / "machine.toml").is_file()


def test_times_are_those_of_the_good_trials() -> None:
    """Rising, and as many as the reading counts."""
    trials = Trials(kernel="ticket", seed=2)
    times = trials.times()
    assert sorted(times) == times
    assert trials.right()["trials"] == len(times)
