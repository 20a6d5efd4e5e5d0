"""Histograms of times: where the buckets are, and what is read from them."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.engine.histogram import BUCKETS, LONGEST_BITS, bounds_of, bucket_of, percentile


def test_buckets_join_without_a_gap() -> None:
    """From 0 to the longest time that a run can have; each at most 1/64 of its values wide."""
    following = 0
    for bucket in range(BUCKETS):
        first, last = bounds_of(bucket)
        assert (following, bucket, bucket) == (first, bucket_of(first), bucket_of(last))
        assert (last - first + 1) * 64 <= max(64, first)
        following = last + 1
    assert 1 << LONGEST_BITS == following


@given(
    st.lists(st.integers(0, 2**45), min_size=1, max_size=100),
    st.sampled_from([500, 900, 990, 999]),
)
def test_a_percentile_is_a_64th_too_large_at_most(times: list[int], thousandths: int) -> None:
    """Never less than the value at its rank, exact below 128 ps, and never above the longest."""
    true = int(np.percentile(times, thousandths / 10, method="inverted_cdf"))
    found = percentile(Counter(map(bucket_of, times)), thousandths, max(times))
    assert true <= found <= min(max(times), true + (true // 64 if true >= 128 else 0))


@pytest.mark.parametrize(
    ("thousandths", "expected"), [(500, 30), (900, 50), (990, 50), (200, 10), (201, 20)]
)
def test_a_percentile_is_the_value_at_its_rank(thousandths: int, expected: int) -> None:
    """Of five values the median is the third, and 20 % do not exceed the first."""
    assert expected == percentile(dict.fromkeys((10, 20, 30, 40, 50), 1), thousandths, 50)


def test_no_times() -> None:
    """Without a time there is nothing to report."""
    assert 0 == percentile({}, 990, 0)
