"""Machine repairman: the laws of closed queues."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.study.analytic import AnalyticError, bounds, machine_repairman

cpus = st.integers(1, 300)
service = st.floats(0.1, 1e5)
think = st.floats(0, 1e7)


@given(n=cpus, s=service, z=think)
def test_throughput_is_within_its_bounds(n, s, z):
    """Never above what one CPU or the lock allows, never below full synchrony."""
    low, high = bounds(n, service_ns=s, think_ns=z)
    rate = machine_repairman(n, service_ns=s, think_ns=z).per_second
    assert low * (1 - 1e-9) <= rate <= high * (1 + 1e-9)


@given(n=cpus, s=service, z=think, locks=st.integers(1, 64))
def test_little(n, s, z, locks):
    """Little's law, for the locks together and for the whole loop."""
    loop = machine_repairman(n, service_ns=s, think_ns=z, locks=locks)
    rate = loop.per_second / 1e9
    assert loop.present == pytest.approx(rate * loop.response_ns, rel=1e-9)
    assert n == pytest.approx(rate * (loop.response_ns + z), rel=1e-9)
    assert loop.utilisation == pytest.approx(rate * s, rel=1e-9)
    assert -1e-6 <= loop.waiting <= n - 1 + 1e-6


@given(n=st.integers(1, 100), s=service, z=think)
def test_another_cpu_never_lowers_throughput(n, s, z):
    """A constant service time knows no collapse."""
    less = machine_repairman(n, service_ns=s, think_ns=z).per_second
    more = machine_repairman(n + 1, service_ns=s, think_ns=z).per_second
    assert less <= more * (1 + 1e-12)


@given(n=cpus, s=service, z=think, locks=st.integers(1, 64))
def test_another_lock_never_lowers_throughput(n, s, z, locks):
    """And with very many no CPU waits."""
    one, two, many = (
        machine_repairman(n, service_ns=s, think_ns=z, locks=k).per_second
        for k in (locks, locks + 1, 10**9)
    )
    assert one <= two * (1 + 1e-12)
    assert n * 1e9 / (s + z) == pytest.approx(many, rel=1e-6)


@given(s=service, z=think)
def test_one_cpu_never_waits(s, z):
    """Its loop takes what it works."""
    loop = machine_repairman(1, service_ns=s, think_ns=z)
    assert 1e9 / (s + z) == pytest.approx(loop.per_second)
    assert s == loop.response_ns


def test_the_knee():
    """Far beyond N* = (Z + S) / S the lock is never free."""
    loop = machine_repairman(200, service_ns=10, think_ns=190)
    assert 1e8 == pytest.approx(loop.per_second)
    assert 200 * 10 - 190 == pytest.approx(loop.response_ns)


@pytest.mark.parametrize(
    ("n", "s", "z", "message"),
    [
        (0, 1, 1, "CPUs must be between 1 and 100,000"),
        (1, 0, 1, "service_ns = 0: give a time above 0"),
        (1, 1, -1, "think_ns = -1: give a time from 0"),
        (1, float("nan"), 1, "service_ns = nan"),
    ],
)
def test_bad_numbers_are_refused(n, s, z, message):
    """The message names the number and the range."""
    for model in (machine_repairman, bounds):
        with pytest.raises(AnalyticError, match=message):
            model(n, service_ns=s, think_ns=z)
