"""Sequence locks: what a reader that is let go has seen is whole, and nobody waits for a reader."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.lang import RELAXED, Workload, cpu, part, pause, word
from locksim.lang.ops import Kind
from locksim.library.locks.seqlock import SpinSeqLock
from locksim.library.locks.seqlock_exclusive import ExclusiveReaderSeqLock
from locksim.library.locks.seqrwlock import SeqRWLock
from locksim.library.workloads.blocking_readers import BlockingReaders
from locksim.library.workloads.sequence_readers import SequenceReaders

LOCKS = [SpinSeqLock, ExclusiveReaderSeqLock, SeqRWLock]
every_lock = pytest.mark.parametrize("lock", LOCKS)


@every_lock
@given(n_threads=st.integers(1, 6), seed=st.integers(0, 2**32))
def test_readers_see_whole_writes(interleave, lock, n_threads, seed):
    """The workload compares all words after each validated reading, in many schedules."""
    workload = SequenceReaders(lock=lock, read_percent=50, words=4, think_ps=0)
    interleave(workload, n_threads, seed, steps=3000, finite=False)


@every_lock
def test_readers_write_nothing(interleave, lock):
    """A reading is loads alone."""
    workload = SequenceReaders(lock=lock, read_percent=100, think_ps=0)
    run = interleave(workload, 3, 1, steps=2000, finite=False)
    assert {Kind.LOAD, Kind.FENCE, Kind.COMPUTE} == {op.kind for _, op in run.performed}


class Spied(Workload):
    """Thread 0 reads while thread 1 writes twice; thread 1 waits until the reading has begun."""

    lock = part(SpinSeqLock)
    begun = word()
    readings = word()
    written = word()

    def thread(self):
        if cpu() == 0:
            while True:
                number = yield from self.lock.read_begin()
                readings = yield self.readings.fetch_add(1)
                yield self.begun.store(1)
                if readings == 0:
                    while (yield self.written.load(RELAXED)) == 0:
                        yield pause()
                if not (yield from self.lock.read_retry(number)):
                    return
        else:
            while (yield self.begun.load(RELAXED)) == 0:
                yield pause()
            yield from self.lock.write_acquire()
            yield from self.lock.write_release()
            yield self.written.store(1)


@every_lock
def test_a_write_during_a_reading_is_noticed(interleave, lock):
    """The reader does not hold the writer up, and reads a second time."""
    run = interleave(Spied(lock=lock), 2, 3)
    assert 2 == run.word(run.root.readings)
    assert 2 == run.word(run.root.lock.sequence)


@pytest.mark.parametrize("lock", [ExclusiveReaderSeqLock, SeqRWLock])
@given(seed=st.integers(0, 2**32))
def test_blocking_readers_exclude_writers(interleave, lock, seed):
    """Blocking readers compare without looking back; optimistic ones and writers run beside."""
    workload = BlockingReaders(lock=lock, read_percent=60, words=4, think_ps=0)
    interleave(workload, 4, seed, steps=3000, finite=False)


@pytest.mark.parametrize("lock", [ExclusiveReaderSeqLock, SeqRWLock])
def test_blocking_readers_leave_the_number_alone(interleave, lock):
    """Optimistic readers need not read again because of a blocking one."""
    workload = BlockingReaders(lock=lock, read_percent=100, blocking_percent=50, think_ps=0)
    run = interleave(workload, 4, 2, steps=3000, finite=False)
    assert 0 == run.word(run.root.lock.sequence)
