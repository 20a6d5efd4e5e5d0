"""Counted references: no reference is lost, and the lock is needed seldom."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.lang import Workload, part
from locksim.lang.ops import Kind, Mark
from locksim.library.locks.lockref import LOCKED, ONE, Lockref
from locksim.library.locks.lockref_spinlock import SpinlockRef
from locksim.library.workloads.counted_ref import CountedRefs

KINDS = [Lockref(), Lockref(retries=1), Lockref(retries=0), SpinlockRef()]


class Collect(Workload):
    """Every thread takes three references and drops two."""

    lock = part(Lockref)

    def thread(self):
        for i in range(3):
            yield from self.lock.get()
            if i:
                yield from self.lock.put()


@pytest.mark.parametrize("lock", KINDS, ids=str)
@given(n_threads=st.integers(1, 6), seed=st.integers(0, 2**32))
def test_no_reference_is_lost(interleave, lock, n_threads, seed):
    """At the end there are the maker's and one for each thread."""
    run = interleave(Collect(lock=lock), n_threads, seed)
    if isinstance(lock, SpinlockRef):
        assert 1 + n_threads == run.word(run.root.lock.count)
    else:
        assert (1 + n_threads) * ONE == run.word(run.root.lock.lock_count)


@pytest.mark.parametrize("lock", KINDS, ids=str)
@given(seed=st.integers(0, 2**32))
def test_the_count_stands_still_under_the_lock(interleave, lock, seed):
    """The workload looks twice while it holds the lock and others count."""
    interleave(
        CountedRefs(lock=lock, lock_percent=30, think_ps=0), 4, seed, steps=3000, finite=False
    )


def test_counting_alone_takes_no_lock(interleave):
    """With nobody holding the lock a get is a load and a compare-and-swap."""
    run = interleave(Collect(), 1, 0)
    assert [Kind.LOAD, Kind.COMPARE_SWAP] * 5 == [op.kind for _, op in run.performed]
    assert [] == run.marks(Mark.ACQUIRED)


def test_retries_are_bounded(interleave):
    """A get that has lost as often as it may takes the lock."""
    taken = 0
    for seed in range(20):
        run = interleave(Collect(lock=Lockref(retries=1)), 4, seed)
        taken += len(run.marks(Mark.ACQUIRED))
        assert 0 == run.word(run.root.lock.lock_count) & LOCKED
    assert 0 < taken
