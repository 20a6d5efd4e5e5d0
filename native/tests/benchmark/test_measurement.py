"""Measurements: estimates, rejections and warnings, from trials that were made up."""

from __future__ import annotations

from math import comb, inf, isclose

import pytest
from hypothesis import given
from hypothesis import strategies as st
from made_up import CELL, measurement, trial

from locknative.benchmark.measurement import estimate


@given(values=st.lists(st.floats(0.1, 1e6), min_size=1, max_size=60, unique=True))
def test_estimate(values: list[float]) -> None:
    """The ends are the innermost values with a chance of 2.5 % at most beyond each."""
    found = estimate(values)
    n = len(values)
    assert (found.low is None) == (n < 6)
    if found.low is not None and found.high is not None:
        beyond = {sum(v < found.low for v in values), sum(v > found.high for v in values)}
        assert found.low <= found.median <= found.high
        assert [chance(k, n) <= 0.025 < chance(k + 1, n) for k in beyond] == [True]


def chance(k: int, n: int) -> float:
    """Chance that at most ``k`` of ``n`` values lie below the median of their source."""
    return sum(comb(n, i) for i in range(k + 1)) / 2**n


def test_half_width() -> None:
    """Relative to the median; infinite where there is no interval."""
    assert 0.0 == estimate([3.0] * 10).half_width
    assert inf == estimate([3.0] * 5).half_width


def test_clean() -> None:
    """Ten equal, undisturbed trials on a quiet machine leave nothing to say."""
    assert () == measurement([trial(i) for i in range(10)]).warnings


def test_rejected_trials_are_kept_and_do_not_count() -> None:
    """The value is that of the accepted ones; all are in the row's count."""
    trials = [trial(i) for i in range(10)] + [trial(10, count=1, cpu_ns=1000)]
    found = measurement(trials)
    row = found.rows()[0]
    assert (11, 1) == (row["trials"], row["rejected"])
    assert isclose(2_000_000 / 1333, row["ns_per_operation"])
    assert 11 == len(found.trials)
    assert found.clean


def test_too_few() -> None:
    """Nine trials are not enough, and it is said."""
    assert ("tas, 2 threads: 9 undisturbed trials of 9, fewer than 10",) == measurement(
        [trial(i) for i in range(9)]
    ).warnings


def test_all_disturbed() -> None:
    """Where no trial was accepted the values come from all of them, and a warning says so."""
    found = measurement([trial(i, cpu_ns=500_000) for i in range(3)])
    assert ["all 3 trials were disturbed" in warning for warning in found.warnings] == [True]
    assert 3 == found.ns_per_operation(0).n


def test_wide() -> None:
    """An interval wider than was asked for is a warning."""
    found = measurement([trial(i, count=1000 + 200 * i) for i in range(12)])
    assert ["wider than ±2.0%" in warning for warning in found.warnings] == [True]


def test_interrupted() -> None:
    """A measurement that was cut short says so, and which cells it never came to."""
    cells = (CELL, CELL.model_copy(update={"kernel": "mcs"}))
    found = measurement([trial(i) for i in range(10)], cells).model_copy(update={"complete": False})
    assert (
        "the measurement was interrupted",
        "mcs, 2 threads: no trial was made",
    ) == found.warnings
    assert 1 == len(found.rows())


@pytest.mark.parametrize(("count", "warned"), [(1000, True), (500, False)])
def test_deleted_pair(count: int, warned: bool) -> None:
    """A pair as fast as the empty loop on the same CPUs is suspicious; a slower one is not."""
    pair = CELL.model_copy(update={"loop": "throughput"})
    empty = pair.model_copy(update={"kernel": "none"})
    trials = [trial(i, count) for i in range(10)] + [trial(i, cell=1) for i in range(10, 20)]
    assert warned == any(
        "empty loop" in warning for warning in measurement(trials, (pair, empty)).warnings
    )


def test_fairness_is_in_the_rows() -> None:
    """A thread with three times as much as the other."""
    row = measurement([trial(i, count=999) for i in range(10)]).rows()[0]
    assert isclose(1 / 3, row["slowest_over_fastest"])
    assert isclose(0.8, row["jain"])
    assert isclose(0.5, row["deviation"])


def test_titles() -> None:
    """A title names the mix as far as there is one."""
    cell = CELL.model_copy(update={"hold_ns": 100.0, "write_share": 0.1, "threads": 1})
    assert "tas, 2 threads" == CELL.title
    assert "tas, 1 thread, hold 100 ns, think 0 ns, 10.0% write" == cell.title
