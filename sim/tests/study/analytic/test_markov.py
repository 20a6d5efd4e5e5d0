"""The ticket lock's chain: its equilibrium, its limits and the collapse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.study.analytic import AnalyticError, machine_repairman, ticket_lock

cpus = st.integers(1, 200)
serial = st.floats(1, 1e4)
parallel = st.floats(1, 1e6)
transfer = st.floats(0, 1e3)


def curve(counts, **times):
    """Throughput at each number of CPUs."""
    return np.array([ticket_lock(n, **times).per_second for n in counts])


@given(n=cpus, s=serial, z=parallel, c=transfer)
def test_the_chain_is_in_equilibrium(n, s, z, c):
    """Between any two neighbouring states as many steps go up as down."""
    chain = ticket_lock(n, serial_ns=s, parallel_ns=z, transfer_ns=c)
    p, k = chain.probabilities, np.arange(n)
    assert 1 == pytest.approx(p.sum())
    up, down = p[:-1] * (n - k) / z, p[1:] / (s + c * k / 2)
    assert np.allclose(up, down, rtol=1e-9, atol=1e-300)


@given(n=cpus, s=serial, z=parallel, c=transfer)
def test_little(n, s, z, c):
    """CPUs that are away are those that think: throughput times think time."""
    chain = ticket_lock(n, serial_ns=s, parallel_ns=z, transfer_ns=c)
    assert n - chain.present == pytest.approx(chain.per_second / 1e9 * z, rel=1e-6, abs=1e-6)
    assert -1e-9 <= chain.waiting <= n - 1 + 1e-9


@given(n=cpus, s=serial, z=parallel)
def test_without_transfers_it_is_the_machine_repairman(n, s, z):
    """Two independent computations of the same queue."""
    chain = ticket_lock(n, serial_ns=s, parallel_ns=z, transfer_ns=0)
    queue = machine_repairman(n, service_ns=s, think_ns=z)
    assert queue.per_second == pytest.approx(chain.per_second, rel=1e-6)
    assert queue.present == pytest.approx(chain.present, rel=1e-6)


@given(s=serial, z=parallel, c=transfer)
def test_one_cpu_pays_no_transfer(s, z, c):
    """Nobody waits behind it."""
    chain = ticket_lock(1, serial_ns=s, parallel_ns=z, transfer_ns=c)
    assert 1e9 / (s + z) == pytest.approx(chain.per_second)


def test_many_cpus_approach_the_limit():
    """All but a few always wait: 1 / (s + c (N - 1) / 2)."""
    chain = ticket_lock(5000, serial_ns=100, parallel_ns=10_000, transfer_ns=50)
    assert 1e9 / (100 + 50 * 4999 / 2) == pytest.approx(chain.per_second, rel=0.01)


def test_nobody_away():
    """Without parallel work all states but the last are empty."""
    chain = ticket_lock(8, serial_ns=100, parallel_ns=0, transfer_ns=50)
    assert 1e9 / (100 + 50 * 7 / 2) == pytest.approx(chain.per_second)
    assert 7 == chain.waiting


def test_throughput_collapses():
    """It rises nearly linearly, and within a few CPUs of its peak falls to a fraction.

    Qualitatively what the paper shows; its figures are those of its machine. Here a CPU alone is
    in the critical section for 2 % of its time.
    """
    counts = np.arange(1, 97)
    x = curve(counts, serial_ns=200, parallel_ns=9800, transfer_ns=50)
    speedup = x / x[0]
    peak = int(counts[speedup.argmax()])
    assert 15 < peak < 45
    assert speedup[peak - 1] > 0.7 * peak
    assert speedup[-1] < 0.3 * speedup.max()
    # The collapse is steeper than the rise: half of the peak is lost within half of its CPUs.
    assert speedup[peak + peak // 2] < 0.6 * speedup.max()


def test_short_sections_collapse_further():
    """Of two locks held for the same share of time the one that is held more briefly loses more."""
    counts = range(1, 97)
    left = []
    for s in (100, 1000, 10_000):
        x = curve(counts, serial_ns=s, parallel_ns=49 * s, transfer_ns=50)
        left.append(x[-1] / x.max())
    assert left == sorted(left)
    assert left[0] < 0.2 < 0.8 < left[2]


@pytest.mark.parametrize("bad", [{"serial_ns": 0}, {"parallel_ns": -1}, {"transfer_ns": 1e400}])
def test_bad_numbers_are_refused(bad):
    """The message names the number."""
    times = {"serial_ns": 1, "parallel_ns": 1, "transfer_ns": 1, **bad}
    with pytest.raises(AnalyticError, match=next(iter(bad))):
        ticket_lock(4, **times)
