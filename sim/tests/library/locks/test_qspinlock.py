"""The queued spinlock: its three ways in, and who uses which."""

import pytest
from checker.proofs import for_all_sizes
from hypothesis import given
from hypothesis import strategies as st
from programs import Increments

from locksim.checker import check_lock
from locksim.lang.ops import Kind, Mark
from locksim.library.locks.qspinlock import LOCKED, PENDING, QueuedSpinlock


@given(n_threads=st.integers(2, 6), seed=st.integers(0, 2**32))
def test_the_word_is_empty_at_the_end(interleave, n_threads, seed):
    """No tail, pending bit or locked byte is left behind."""
    run = interleave(Increments(lock=QueuedSpinlock, rounds=8), n_threads, seed)
    assert 0 == run.word(run.root.lock.value)
    assert 8 * n_threads == run.word(run.root.count)


def test_two_threads_seldom_use_a_node(interleave):
    """The pending bit serves the second of two CPUs: the lock's word is all that is touched."""
    without = 0
    for seed in range(20):
        run = interleave(Increments(lock=QueuedSpinlock), 2, seed)
        nodes = {int(run.root.lock.nodes[i].next) for i in range(2)}
        without += not nodes & {op.address for _, op in run.performed}
    assert without > 10


def test_all_ways_in_are_used(interleave):
    """Some get in by the first swap, some as pending, some from the queue."""
    desired: set[int] = set()
    for seed in range(5):
        run = interleave(Increments(lock=QueuedSpinlock), 4, seed)
        desired |= {op.b for _, op in run.performed if op.kind == Kind.COMPARE_SWAP}
    assert {LOCKED, LOCKED | PENDING} <= desired
    assert any(value > PENDING << 8 for value in desired)


@given(seed=st.integers(0, 2**32))
def test_the_queue_is_served_in_order(interleave, seed):
    """Those that joined at the tail become heads in that order."""
    run = interleave(Increments(lock=QueuedSpinlock, rounds=6), 5, seed)
    at, state, joined, entered = int(run.root.lock.value), 0, [], []
    for t, op in run.performed:
        if op.address != at:
            continue
        if op.kind == Kind.COMPARE_SWAP and op.a == state:
            if op.b >> 16 == t + 1:
                joined.append(t)
            elif op.b == LOCKED and state >> 16 == t + 1:
                entered.append(t)
            state = op.b
        elif op.kind == Kind.FETCH_ADD:
            if op.a == LOCKED:
                entered.append(t)
            state += op.a
    assert joined == entered
    assert 30 == len(run.marks(Mark.ACQUIRED))


@pytest.mark.parametrize("memory", ["sc", "tso"])
def test_four_threads_are_proven(memory):
    """Holder, pending, head and one behind it: the shortest queue in which nodes are linked."""
    verdict = check_lock(QueuedSpinlock, threads=4, memory=memory)
    assert for_all_sizes(verdict)
