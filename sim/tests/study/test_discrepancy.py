"""The discrepancy: what measured points say about others, and about other locks."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.study.discrepancy import NOISE, Discrepancy, Place, learned

PROCESS = Discrepancy(level=0.4, shape=0.3, length=1.0, far_level=0.4, scatter=0.3)
COUNTS = st.lists(st.integers(1, 512), min_size=1, max_size=6, unique=True)


def known(counts: list[int], value: float = 0.5) -> tuple[list[Place], np.ndarray, np.ndarray]:
    """Points of ticket whose times are all wrong by one factor."""
    return [Place("ticket", n) for n in counts], np.full(len(counts), value), np.zeros(len(counts))


def test_the_committed_process_is_one() -> None:
    """Each value is above 0."""
    found = learned()
    assert all(value > 0 for value in vars(found).values())


@pytest.mark.parametrize("to", [1, 1024])
@given(counts=COUNTS)
def test_a_point_more_never_widens_a_band(to: int, counts: list[int]) -> None:
    """Among the points and beyond them the variance falls with each, never below the noise."""
    spreads = [
        PROCESS.forecast(*known(counts[:k]), [Place("ticket", to)]).spread[0]
        for k in range(1, len(counts) + 1)
    ]
    assert sorted(spreads, reverse=True) == pytest.approx(spreads)
    assert min(spreads) >= NOISE * (1 - 1e-9)


@given(st.integers(1, 30))
def test_a_band_is_widest_far_from_the_points(step: int) -> None:
    """At a measured number of CPUs it is about the noise; far from it the level remains."""
    near, far = (
        PROCESS.forecast(*known([64]), [Place("ticket", n)]) for n in (64 - step, 64 - 2 * step)
    )
    assert near.spread[0] < far.spread[0]
    assert 0 < far.mean[0] < near.mean[0] < 0.5


def test_beyond_the_points_their_mean_is_carried_on() -> None:
    """Drawn to a factor of 1 by hand: the mean over 1 + (scatter² + noise²) / points · level²."""
    at, _, noise = known([1, 2])
    places = [Place("ticket", n) for n in (4, 400)]
    found = PROCESS.forecast(at, np.array([0.1, 0.9]), noise, places)
    shrunk = 0.5 / (1 + (PROCESS.scatter**2 + NOISE**2) / (2 * PROCESS.far_level**2))
    assert [shrunk, shrunk] == pytest.approx(found.mean)
    assert found.spread[0] == found.spread[1]


def test_another_lock_shares_a_part() -> None:
    """It moves in the same direction, by less, and its band is wider."""
    own, other = (
        PROCESS.forecast(*known([2, 4, 8]), [Place(name, 16)]) for name in ("ticket", "mcs")
    )
    assert 0 < other.mean[0] < own.mean[0]
    assert other.spread[0] > own.spread[0]


def test_an_average_is_that_of_the_points() -> None:
    """Drawn to a factor of 1 by the noise alone; its interval gets narrower with more points."""
    few, many = (PROCESS.average(*known(counts)) for counts in ([4], [1, 4, 16, 64]))
    assert [0.5, 0.5] == pytest.approx([few.mean[0], many.mean[0]], rel=0.01)
    assert many.spread[0] < few.spread[0] < NOISE


def test_the_likelihood_is_that_of_a_normal_distribution() -> None:
    """One point: the density of N(0, level² + shape² + noise²)."""
    variance = PROCESS.level**2 + PROCESS.shape**2 + NOISE**2
    expected = -0.5 * (math.log(2 * math.pi * variance) + 0.25 / variance)
    assert PROCESS.likelihood(*known([7])) == pytest.approx(expected)
