"""Closed networks of stations: laws, and what is known in closed form."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.study.analytic import AnalyticError, machine_repairman
from locksim.study.analytic.network import mean_value, upper_bound

demands = st.lists(st.floats(1, 1e6), min_size=1, max_size=6)
messages = st.integers(1, 60)


@given(demands, messages)
def test_mean_value_is_below_the_bound_and_grows(d, n):
    """Never above the bound; another message never lowers it."""
    assert mean_value(d, n) <= upper_bound(d, n) * (1 + 1e-9)
    assert mean_value(d, n) <= mean_value(d, n + 1) * (1 + 1e-9)


@given(demands)
def test_one_message_waits_for_nobody(d):
    """Both models then say the sum of all times."""
    assert 1e9 / sum(d) == pytest.approx(mean_value(d, 1))
    assert 1e9 / sum(d) == pytest.approx(upper_bound(d, 1))


@given(st.floats(1, 1e6), st.integers(1, 8), messages)
def test_equal_stations_share_what_is_under_way(d, k, n):
    """A balanced network has the throughput n / (n + k - 1) / D (Zahorjan et al., 1982)."""
    assert 1e9 * n / (n + k - 1) / d == pytest.approx(mean_value([d] * k, n))


@given(st.floats(1, 1e6), messages)
def test_one_station_is_a_lock_without_thinking(d, n):
    """The machine repairman's case."""
    loop = machine_repairman(n, service_ns=d, think_ns=0)
    assert loop.per_second == pytest.approx(mean_value([d], n))


@pytest.mark.parametrize(
    ("d", "n", "message"),
    [
        ([1.0], 0, "messages must be at least 1"),
        ([1.0, -2.0], 1, r"demand_ns\[1\] = -2.0: give a time from 0"),
        ([], 1, "the sum of demand_ns = 0: give a time above 0"),
        ([0.0], 1, "the sum of demand_ns = 0.0: give a time above 0"),
        ([float("nan")], 1, r"demand_ns\[0\] = nan"),
    ],
)
def test_numbers_that_make_no_sense_are_refused(d, n, message):
    """With the name and the value."""
    for model in (mean_value, upper_bound):
        with pytest.raises(AnalyticError, match=message):
            model(d, n)
