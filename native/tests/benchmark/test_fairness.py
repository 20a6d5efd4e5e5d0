"""Fairness: three measures that agree about the extremes."""

from __future__ import annotations

from math import isclose, sqrt

from hypothesis import given
from hypothesis import strategies as st

from locknative.benchmark.fairness import deviation, jain, slowest_over_fastest

counts = st.lists(st.integers(0, 10**9), min_size=1, max_size=16)


@given(counts=counts, factor=st.integers(1, 1000))
def test_scale_free(counts: list[int], factor: int) -> None:
    """More for everybody changes nothing."""
    more = [count * factor for count in counts]
    for measure in (jain, deviation, slowest_over_fastest):
        assert isclose(measure(counts), measure(more), rel_tol=1e-9)


@given(counts=counts)
def test_jain_is_a_function_of_the_deviation(counts: list[int]) -> None:
    """Jain's index is 1 / (1 + deviation squared), where anything was counted at all."""
    if any(counts):
        assert isclose(jain(counts), 1 / (1 + deviation(counts) ** 2), rel_tol=1e-9)


@given(count=st.integers(1, 10**9), n=st.integers(1, 16))
def test_extremes(count: int, n: int) -> None:
    """Equal shares, and one who gets everything."""
    assert (1.0, 0.0, 1.0) == (
        jain([count] * n),
        deviation([count] * n),
        slowest_over_fastest([count] * n),
    )
    alone = [count] + [0] * (n - 1)
    assert isclose(1 / n, jain(alone), rel_tol=1e-9)
    assert isclose(sqrt(n - 1), deviation(alone), abs_tol=1e-9)
