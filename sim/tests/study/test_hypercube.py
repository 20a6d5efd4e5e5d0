"""Latin hypercubes: one point in every slice, and the points that SciPy draws."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import qmc

from locksim.study.hypercube import latin_hypercube

factors = st.integers(1, 12)
points = st.integers(1, 40)
seeds = st.integers(0, 2**32)


@given(factors, points, seeds)
def test_every_slice_of_every_factor_has_one_point(factors: int, n: int, seed: int) -> None:
    """That is its law."""
    found = np.array(latin_hypercube(factors, n, seed))
    assert (n, factors) == found.shape
    for column in found.T:
        assert [*range(n)] == sorted(int(n * share) for share in column)


@given(factors, points, seeds)
def test_points_are_those_of_scipy(factors: int, n: int, seed: int) -> None:
    """Results that were published with its draws stay what they are."""
    drawn = qmc.LatinHypercube(factors, rng=seed).random(n)
    assert drawn == pytest.approx(np.array(latin_hypercube(factors, n, seed)))


def test_without_factors_points_are_empty() -> None:
    """A machine without ranges still has draws, of its starting order."""
    assert [[], [], []] == latin_hypercube(0, 3, 1)
