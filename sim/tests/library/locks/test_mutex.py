"""Linux's mutex: waiters spin or sleep, none is forgotten, and the first sleeper gets its turn."""

import pytest
from programs import Increments

from locksim import simulate
from locksim.checker import check_lock
from locksim.kinds import LoadSettings, plain_load
from locksim.lang.ops import Kind
from locksim.library.locks.mutex import PICKUP, LinuxMutex
from locksim.library.locks.osq import OptimisticSpinQueue
from locksim.library.workloads.critical_section import CriticalSection
from locksim.machine import load
from locksim.study.bands import one_at_a_time

PATIENT = LinuxMutex(resched_one_in=0, queue=OptimisticSpinQueue(resched_one_in=0))
HURRIED = LinuxMutex(resched_one_in=1, queue=OptimisticSpinQueue(resched_one_in=1))


def test_it_is_proven_where_nobody_gives_up_and_where_all_do() -> None:
    """Spinners alone, and sleepers alone."""
    for lock in (PATIENT, HURRIED):
        assert check_lock(lock, threads=2, rounds=2).is_proof()


@pytest.mark.slow
def test_two_threads_are_proven_under_c11() -> None:
    """More are too many for the memory that a check may take."""
    assert check_lock(LinuxMutex, threads=2, memory="c11").is_proof()


def test_an_uncontended_mutex_takes_two_atomic_instructions() -> None:
    """One CPU alone swaps its number in and out."""
    run = simulate(CriticalSection(lock=LinuxMutex), cpus=1, operations=20, replications=1)
    assert 2 == run.per_operation("rmws").mean


def test_waiters_that_are_not_needed_elsewhere_do_not_sleep() -> None:
    """An owner that has a CPU lets go soon."""
    run = simulate(CriticalSection(lock=PATIENT), operations=20, replications=1)
    assert 0 == run.per_second("blocks").mean == run.per_second("wakes").mean
    run = simulate(CriticalSection(lock=HURRIED), operations=20, replications=1)
    assert run.per_second("blocks").mean > 0
    assert 0 == run.violations()


def test_a_sleeper_that_loses_gets_the_mutex_handed_over(interleave):
    """The owner writes another thread's number and PICKUP, in some schedule of a few."""
    handed = 0
    for seed in range(20):
        run = interleave(Increments(lock=HURRIED), 3, seed)
        owner = int(run.root.lock.owner)
        handed += sum(
            op.kind == Kind.SWAP and op.address == owner and bool(op.a & PICKUP)
            for _, op in run.performed
        )
    assert handed > 0


@pytest.mark.slow
def test_no_cpu_keeps_the_mutex_for_good() -> None:
    """In a starting order in which an unfair lock of the list let one CPU do all the work."""
    started = one_at_a_time(load("epyc-7r13-2x48"))[0].machines[4]
    workload = plain_load("mutex", LoadSettings(hold_ps=100_000, think_ps=400_000)).workload
    run = simulate(workload, machine=started, cpus=64, operations=10, warmup=30, replications=1)
    assert run.fairness().mean > 0
    assert run.transactions().mean < 30
