"""Every mutual-exclusion lock: the same tests for all of them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs import Increments

from locksim.compiler import compile_class
from locksim.compiler.spin import spin_loops
from locksim.lang import RELAXED, Workload, part, pause, word
from locksim.lang.ops import Mark
from locksim.library.locks.anderson import AndersonLock
from locksim.library.locks.bakery import BakeryLock
from locksim.library.locks.clh import CLHLock
from locksim.library.locks.cna import CNALock
from locksim.library.locks.cohort import CohortLock
from locksim.library.locks.dekker import DekkerLock
from locksim.library.locks.filter import FilterLock
from locksim.library.locks.futex import FutexMutex
from locksim.library.locks.graunke_thakkar import GraunkeThakkarLock
from locksim.library.locks.hemlock import HemlockLock
from locksim.library.locks.hmcs import HMCSLock
from locksim.library.locks.k42 import K42Lock
from locksim.library.locks.lockref import Lockref
from locksim.library.locks.lockref_spinlock import SpinlockRef
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.mutex import LinuxMutex
from locksim.library.locks.osq import OptimisticSpinQueue
from locksim.library.locks.peterson import PetersonLock
from locksim.library.locks.phase_fair import PhaseFairRWLock
from locksim.library.locks.qrwlock import QueuedRWLock
from locksim.library.locks.qspinlock import QueuedSpinlock
from locksim.library.locks.reciprocating import ReciprocatingLock
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.rwlock_writer import WriterPreferenceRWLock
from locksim.library.locks.seqlock import SpinSeqLock
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.locks.ttas import TTASLock
from locksim.library.locks.ttas_backoff import TTASBackoffLock
from locksim.library.locks.twa import TWALock

LOCKS = [
    TASLock,
    TTASLock,
    TTASBackoffLock,
    TicketLock,
    MCSLock,
    QueuedSpinlock,
    Lockref,
    SpinlockRef,
    K42Lock,
    HemlockLock,
    TWALock,
    ReciprocatingLock,
    CNALock,
    FutexMutex,
    LinuxMutex,
]
WITHOUT_TRY = [
    CLHLock,
    AndersonLock,
    GraunkeThakkarLock,
    CohortLock,
    HMCSLock,
    PetersonLock,
    DekkerLock,
    FilterLock,
    BakeryLock,
    OptimisticSpinQueue,
]
"""These have no try_acquire."""

every_lock = pytest.mark.parametrize("lock", LOCKS + WITHOUT_TRY)
every_trylock = pytest.mark.parametrize("lock", LOCKS)
schedules = given(n_threads=st.integers(1, 6), seed=st.integers(0, 2**32))


class Tries(Increments):
    """The same with try_acquire, repeated until it succeeds."""

    def thread(self):
        for _ in range(self.rounds):
            while not (yield from self.lock.try_acquire()):
                yield pause()
            count = yield self.count.load(RELAXED)
            yield self.count.store(count + 1, RELAXED)
            yield from self.lock.release()


class Mixed(Increments):
    """One try, and an acquire if that fails: both ways in at once."""

    def thread(self):
        for _ in range(self.rounds):
            if not (yield from self.lock.try_acquire()):
                yield from self.lock.acquire()
            count = yield self.count.load(RELAXED)
            yield self.count.store(count + 1, RELAXED)
            yield from self.lock.release()


class TryWhileHeld(Workload):
    """A try on a lock that its own thread holds, then one on the free lock."""

    lock = part(TASLock)
    while_held = word(-1)
    when_free = word(-1)

    def thread(self):
        yield from self.lock.acquire()
        got = yield from self.lock.try_acquire()
        yield self.while_held.store(got)
        yield from self.lock.release()
        got = yield from self.lock.try_acquire()
        yield self.when_free.store(got)


@pytest.mark.covering("workload", every=2)
@pytest.mark.parametrize(
    ("workload", "lock"),
    [(Increments, lock) for lock in LOCKS + WITHOUT_TRY]
    + [(workload, lock) for workload in (Tries, Mixed) for lock in LOCKS],
)
@schedules
def test_no_count_is_lost(interleave, workload, lock, n_threads, seed):
    """Whatever the schedule, one thread at a time is between acquire and release."""
    run = interleave(workload(lock=lock), n_threads, seed)
    assert n_threads * run.root.rounds == run.word(run.root.count)
    # A lock may be built of locks; only its own marks count.
    entered = [subject for _, mark, subject in run.log if mark == Mark.ACQUIRED]
    assert n_threads * run.root.rounds == entered.count(int(run.root.lock))


@every_trylock
def test_try_acquire_does_not_wait(interleave, lock):
    """A try fails on a held lock and succeeds on a free one."""
    run = interleave(TryWhileHeld(lock=lock), 1, 0)
    assert run.word(run.root.while_held) == 0
    assert run.word(run.root.when_free) != 0


@every_lock
def test_uncontended_acquire_does_not_pause(interleave, lock):
    """Alone, no acquisition executes a pause: the meters count none as contended."""
    run = interleave(Increments(lock=lock), 1, 0)
    assert [] == [op for _, op in run.performed if op.kind.name in ("PAUSE", "COMPUTE")]


@pytest.mark.parametrize(
    ("lock", "method", "waits"),
    [
        (TTASLock, "acquire", 1),
        (TTASBackoffLock, "acquire", 1),
        (TicketLock, "acquire", 1),
        (MCSLock, "acquire", 1),
        (CLHLock, "acquire", 1),
        (ReaderPreferenceRWLock, "read_acquire", 1),
        (ReaderPreferenceRWLock, "write_acquire", 2),
        (WriterPreferenceRWLock, "read_acquire", 1),
        (WriterPreferenceRWLock, "write_acquire", 1),
        (QueuedRWLock, "read_acquire", 1),
        (QueuedRWLock, "write_acquire", 1),
        (QueuedSpinlock, "acquire", 1),
        (QueuedSpinlock, "wait_as_pending", 1),
        (QueuedSpinlock, "wait_in_queue", 1),
        (QueuedSpinlock, "take_as_head", 1),
        (Lockref, "acquire", 1),
        (SpinSeqLock, "read_begin", 1),
        (AndersonLock, "acquire", 1),
        (GraunkeThakkarLock, "acquire", 1),
        (K42Lock, "acquire", 1),
        (HemlockLock, "acquire", 1),
        (HemlockLock, "release", 1),
        (TWALock, "acquire", 3),
        (ReciprocatingLock, "acquire", 1),
        (CNALock, "acquire", 1),
        (HMCSLock, "join", 1),
        (PhaseFairRWLock, "read_acquire", 1),
        (PhaseFairRWLock, "write_acquire", 2),
        (PetersonLock, "wait_for", 1),
        (DekkerLock, "enter", 2),
        (FilterLock, "wait_for", 1),
        (BakeryLock, "acquire", 1),
        (OptimisticSpinQueue, "wait", 1),
        (LinuxMutex, "wait_for", 1),
    ],
)
def test_waiting_loops_are_idle_spins(lock, method, waits):
    """Waiters only re-read: the fast engine can jump over each of these loops."""
    assert waits == len(spin_loops(compile_class(lock).methods[method]))
