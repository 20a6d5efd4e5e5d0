"""The Universal Scalability Law: its limits, its fit, and how sure the fit is."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.study.analytic import USL, AnalyticError, bounds, fit

CPUS = [1, 2, 4, 8, 16, 32, 64]
gamma = st.floats(1, 1e9)
sigma = st.floats(0, 0.9)
kappa = st.floats(1e-5, 0.05)


@given(g=gamma, s=sigma, k=kappa)
def test_the_peak(g, s, k):
    """Throughput is nowhere higher than at the peak."""
    law = USL(g, s, k)
    (best,) = law.per_second([law.peak_cpus])
    assert (law.per_second(np.linspace(1, 4 * law.peak_cpus, 200)) <= best * (1 + 1e-12)).all()


@given(g=gamma, s=st.floats(0.01, 0.9))
def test_without_kappa_it_is_amdahl(g, s):
    """The limit is 1 / sigma times one CPU, and there is no peak."""
    law = USL(g, s, 0)
    assert g / s == pytest.approx(float(law.per_second([1e12])[0]))
    assert math.inf == law.peak_cpus


@given(g=gamma, s=sigma, k=kappa)
def test_a_fit_finds_the_law_again(g, s, k):
    """From points without noise: their throughput to a millionth."""
    law = USL(g, s, k)
    x = law.per_second(CPUS)
    found = fit(CPUS, x).law
    assert np.allclose(x, found.per_second(CPUS), rtol=1e-5)


@given(g=gamma, s=sigma, k=st.floats(0, 0.05), seed=st.integers(0, 2**32 - 1))
def test_no_number_is_negative(g, s, k, seed):
    """However noisy the points, numbers and intervals stay from 0."""
    noise = np.random.default_rng(seed).normal(1, 0.2, len(CPUS)).clip(0.1)
    fitted = fit(CPUS, USL(g, s, k).per_second(CPUS) * noise)
    values = (fitted.law.gamma, fitted.law.sigma, fitted.law.kappa)
    for value, (low, high) in zip(values, fitted.intervals.values(), strict=True):
        assert 0 <= low <= value <= high


def test_intervals_cover():
    """Of many noisy fits some 95 % have the true numbers within their intervals."""
    law = USL(1e6, 0.05, 0.001)
    random = np.random.default_rng(1)
    counts = np.arange(1, 49, 3)
    x = law.per_second(counts)
    inside = dict.fromkeys(("gamma", "sigma", "kappa"), 0)
    for _ in range(300):
        found = fit(counts, x + random.normal(0, 0.02 * x.max(), len(counts))).intervals
        for name in inside:
            low, high = found[name]
            inside[name] += low <= getattr(law, name) <= high
    assert all(0.91 < n / 300 < 0.99 for n in inside.values()), inside


def test_the_interval_of_the_law_narrows_with_more_points():
    """Twice the points, all else alike: a narrower band."""
    random = np.random.default_rng(2)
    law = USL(1e6, 0.05, 0.001)
    few = np.tile(CPUS, 2)
    many = np.tile(CPUS, 20)
    widths = []
    for counts in (few, many):
        x = law.per_second(counts)
        _, low, high = fit(counts, x * random.normal(1, 0.02, len(x))).per_second([48])
        widths.append(float(high[0] - low[0]))
    assert widths[1] < widths[0]


@given(s=st.floats(0.1, 1e5), z=st.floats(0, 1e7), n=st.integers(1, 300))
def test_of_times_is_the_synchronous_bound(s, z, n):
    """Without transfers: the lower bound of the machine repairman (Gunther 2008)."""
    law = USL.of_times(hold_ns=s, think_ns=z, transfer_ns=0)
    low, _ = bounds(n, service_ns=s, think_ns=z)
    assert low == pytest.approx(float(law.per_second([n])[0]))


@pytest.mark.parametrize(
    ("cpus", "x", "message"),
    [
        ([1, 2, 4], [1, 2, 3], "points at 3 different CPU counts: .* at least 4"),
        ([1, 1, 2, 2, 4, 4], [1, 1, 2, 2, 3, 3], "points at 3 different CPU counts"),
        ([1, 2, 4, 8], [1, 2, 3], "4 numbers of CPUs and 3 throughputs"),
        ([0, 1, 2, 4], [1, 2, 3, 4], "a number of CPUs is below 1"),
        ([1, 2, 4, 8], [1, 2, 0, 4], "a throughput is 0"),
        ([1, 2, 4, 8], [1, 2, float("nan"), 4], "a throughput is 0, negative or not a number"),
    ],
)
def test_points_that_can_not_be_fitted_are_refused(cpus, x, message):
    """The message says what is needed."""
    with pytest.raises(AnalyticError, match=message):
        fit(cpus, x)
