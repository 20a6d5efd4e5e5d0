"""The queue locks serve in the order of arrival; the others make no such promise."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs import Increments

from locksim.lang import Workload, part, word
from locksim.lang.ops import Kind, Mark
from locksim.library.locks.anderson import AndersonLock
from locksim.library.locks.clh import CLHLock
from locksim.library.locks.cna import CNALock
from locksim.library.locks.graunke_thakkar import GraunkeThakkarLock
from locksim.library.locks.hemlock import HemlockLock
from locksim.library.locks.hmcs import HMCSLock
from locksim.library.locks.k42 import K42Lock
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.qspinlock import QueuedSpinlock
from locksim.library.locks.ticket import TicketLock
from locksim.library.locks.ttas import TTASLock
from locksim.library.locks.twa import TWALock


def arrivals(run, kind, address):
    """The threads in the order in which they joined the queue."""
    return [t for t, op in run.performed if op.kind == kind and op.address == address]


@given(n_threads=st.integers(2, 6), seed=st.integers(0, 2**32))
def test_ticket_is_fifo(interleave, n_threads, seed):
    """Ticket: the order of the fetch-and-adds is the order of the acquisitions."""
    run = interleave(Increments(lock=TicketLock), n_threads, seed)
    joined = arrivals(run, Kind.FETCH_ADD, int(run.root.lock.next_ticket))
    assert joined == run.marks(Mark.ACQUIRED)
    assert run.word(run.root.lock.next_ticket) == run.word(run.root.lock.now_serving)


@given(n_threads=st.integers(2, 6), seed=st.integers(0, 2**32))
def test_mcs_is_fifo(interleave, n_threads, seed):
    """MCS: the order of the swaps on the tail is the order of the acquisitions."""
    run = interleave(Increments(lock=MCSLock), n_threads, seed)
    joined = arrivals(run, Kind.SWAP, int(run.root.lock.tail))
    assert joined == run.marks(Mark.ACQUIRED)
    assert run.word(run.root.lock.tail) == 0


@given(n_threads=st.integers(2, 6), seed=st.integers(0, 2**32))
def test_clh_is_fifo(interleave, n_threads, seed):
    """CLH: the order of the swaps on the tail is the order of the acquisitions."""
    run = interleave(Increments(lock=CLHLock), n_threads, seed)
    joined = arrivals(run, Kind.SWAP, int(run.root.lock.tail))
    assert joined == run.marks(Mark.ACQUIRED)


@pytest.mark.parametrize(
    ("lock", "kind", "word"),
    [
        (AndersonLock, Kind.FETCH_ADD, "next_place"),
        (GraunkeThakkarLock, Kind.SWAP, "tail"),
        (HemlockLock, Kind.SWAP, "tail"),
        (TWALock, Kind.FETCH_ADD, "next_ticket"),
        (CNALock, Kind.SWAP, "tail"),
    ],
    ids=str,
)
@given(n_threads=st.integers(2, 6), seed=st.integers(0, 2**32))
def test_one_operation_decides_the_order(interleave, lock, kind, word, n_threads, seed):
    """The threads get in as they have done it; CNA only where there is one socket."""
    run = interleave(Increments(lock=lock), n_threads, seed, nodes=1)
    assert arrivals(run, kind, int(getattr(run.root.lock, word))) == run.marks(Mark.ACQUIRED)


@given(seed=st.integers(0, 2**32))
def test_mcs_waiters_spin_on_their_own_words(interleave, seed):
    """MCS: a thread that waits re-reads only its own node."""
    n_threads = 4
    run = interleave(Increments(lock=MCSLock), n_threads, seed)
    own = [
        {int(node.next), int(node.locked)}
        for node in map(run.root.lock.nodes.__getitem__, range(4))
    ]
    previous = dict.fromkeys(range(n_threads), Kind.FENCE)
    for t, op in run.performed:
        if previous[t] == Kind.PAUSE:
            assert op.address in own[t]
        previous[t] = op.kind


def test_ttas_is_not_fifo(interleave):
    """TTAS: some schedule lets a later first attempt in before an earlier one."""
    overtaken = False
    for seed in range(20):
        run = interleave(Increments(lock=TTASLock), 4, seed)
        overtaken = overtaken or run.marks(Mark.ACQUIRE_START) != run.marks(Mark.ACQUIRED)
    assert overtaken


class Nested(Workload):
    """Takes one lock inside another."""

    outer = part(MCSLock)
    inner = part(MCSLock)
    count = word()

    def thread(self):
        for _ in range(3):
            yield from self.outer.acquire()
            yield from self.inner.acquire()
            count = yield self.count.load()
            yield self.count.store(count + 1)
            yield from self.inner.release()
            yield from self.outer.release()


@pytest.mark.parametrize(
    "lock",
    [
        TicketLock,
        MCSLock,
        CLHLock,
        QueuedSpinlock,
        K42Lock,
        HemlockLock,
        TWALock,
        CNALock,
        HMCSLock,
    ],
)
def test_two_locks_nest(interleave, lock):
    """A thread may hold one queue lock while it takes another of the same kind."""
    run = interleave(Nested(outer=lock, inner=lock), 4, 7)
    assert run.word(run.root.count) == 12
