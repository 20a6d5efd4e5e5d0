"""Results: the values follow from the counts, and warnings are given."""

from __future__ import annotations

from dataclasses import replace
from math import isclose, sqrt

from hypothesis import given
from hypothesis import strategies as st
from made_up import QUIET

from locknative import Throughput
from lockui.findings import Check

RESULT = Throughput(
    lock="tas",
    side="write",
    threads=2,
    counts=(1000, 3000),
    wall_ns=(30_000, 30_000),
    cpu_ns=(30_000, 30_000),
    empty_loop_ns=1.0,
    provenance=QUIET,
)


def test_figures() -> None:
    """Time for a pair, rate and deviation of two unequal threads."""
    assert (30.0, 10.0) == RESULT.ns_per_pair
    assert isclose(4000 / 30e-6, RESULT.pairs_per_second)
    assert 0.5 == RESULT.deviation


@given(st.lists(st.integers(1, 10**9), min_size=1, max_size=16), st.integers(1, 100))
def test_deviation(counts: list[int], factor: int) -> None:
    """The deviation lies between 0 and sqrt(n - 1), and more time for all does not change it."""
    threads = len(counts)
    short = replace(RESULT, threads=threads, counts=tuple(counts))
    long = replace(RESULT, threads=threads, counts=tuple(count * factor for count in counts))
    assert 0 <= short.deviation <= sqrt(threads - 1) + 1e-9
    assert isclose(short.deviation, long.deviation, rel_tol=1e-6, abs_tol=1e-9)


def test_clean() -> None:
    """On a quiet machine nothing speaks against a measurement."""
    assert () == RESULT.warnings
    assert RESULT.clean


def test_deleted_pair() -> None:
    """A pair as fast as the empty loop is suspicious; the empty loop itself is not."""
    suspicious = replace(RESULT, empty_loop_ns=10.0)
    assert ["empty loop" in warning for warning in suspicious.warnings] == [True]
    assert replace(suspicious, lock="none").clean


def test_shared_cpu() -> None:
    """A thread that did not run all the time is a warning."""
    shared = replace(RESULT, cpu_ns=(30_000, 29_000))
    assert ("a thread ran for only 96.7% of its time: the CPUs were shared",) == shared.warnings
    assert () == replace(shared, lock="futex").warnings  # its waiters sleep


def test_disturbed_machine() -> None:
    """What the checks warned of, and what was stolen meanwhile, each give one warning."""
    marks = (Check("governor", "warning", "powersave"), Check("SMT", "unknown", "not told"))
    noisy = replace(QUIET, noise=marks, steal_after=9)
    assert (
        "governor: powersave",
        "the hypervisor took 2 clock ticks during the run",
    ) == replace(RESULT, provenance=noisy).warnings
