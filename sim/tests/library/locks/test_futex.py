"""The futex mutex: waiters sleep, and none is forgotten."""

import pytest
from library.locks.wrong_locks import Wrong

from locksim import simulate
from locksim.checker import check_lock
from locksim.library.locks.futex import FutexMutex
from locksim.library.workloads.critical_section import CriticalSection


def test_a_mark_in_the_store_buffer_is_too_late() -> None:
    """Under tso the interrupt overtakes a plain store: the sleeper looks, and sleeps on."""
    plain = ("woken.swap(1, RELEASE)", "woken.store(1, RELEASE)")
    wrong = Wrong("futex", "plain mark", *plain, "").struct()
    assert check_lock(wrong, threads=2).is_proof()
    verdict = check_lock(wrong, threads=2, memory="tso")
    assert ("violated", "deadlock") == (verdict.verdict, verdict.found)


@pytest.mark.slow
def test_two_threads_are_proven_under_c11() -> None:
    """Three are too many for the memory that a check may take."""
    assert check_lock(FutexMutex, threads=2, memory="c11").is_proof()


def test_an_uncontended_mutex_makes_no_call() -> None:
    """One CPU alone touches the word, twice, and neither sleeps nor wakes."""
    run = simulate(CriticalSection(lock=FutexMutex), cpus=1, operations=20, replications=1)
    assert 2 == run.per_operation("rmws").mean
    assert 0 == run.per_second("blocks").mean == run.per_second("wakes").mean


def test_waiters_sleep() -> None:
    """Under contention CPUs sleep, and each sleep has a wake-up."""
    run = simulate(CriticalSection(lock=FutexMutex), operations=20, replications=1)
    assert run.per_second("blocks").mean > 0
    assert 0 == run.violations()
