"""Reader-writer locks: readers together, a writer alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from locksim.core.memory import wrap64
from locksim.lang import RELAXED, Workload, param, part, random_below, word
from locksim.lang.ops import Kind, Mark
from locksim.library.locks.brlock import BigReaderLock
from locksim.library.locks.futex_rwlock import FutexRWLock
from locksim.library.locks.percpu_rwsem import PercpuRWSemaphore
from locksim.library.locks.phase_fair import PhaseFairRWLock
from locksim.library.locks.qrwlock import QueuedRWLock
from locksim.library.locks.rwlock import WRITER, ReaderPreferenceRWLock
from locksim.library.locks.rwlock_writer import WriterPreferenceRWLock
from locksim.library.locks.rwsem import LinuxRWSemaphore
from locksim.library.locks.seqrwlock import SeqRWLock

ROUNDS = 5
ONE_WORD = [ReaderPreferenceRWLock, WriterPreferenceRWLock, QueuedRWLock]
SLEEPING = [FutexRWLock, LinuxRWSemaphore, PercpuRWSemaphore]
LOCKS = [*ONE_WORD, BigReaderLock, SeqRWLock, PhaseFairRWLock, *SLEEPING]

every_lock = pytest.mark.parametrize("lock", LOCKS)


class Mix(Workload):
    """Reads and writes two words that writers keep equal."""

    read_percent = param(60)
    lock = part(ReaderPreferenceRWLock)
    a = word()
    b = word()

    def thread(self):
        for _ in range(ROUNDS):
            if random_below(100) < self.read_percent:
                yield from self.lock.read_acquire()
                a = yield self.a.load(RELAXED)
                assert (yield self.b.load(RELAXED)) == a
                yield from self.lock.read_release()
            else:
                yield from self.lock.write_acquire()
                a = yield self.a.load(RELAXED)
                yield self.a.store(a + 1, RELAXED)
                yield self.b.store(a + 1, RELAXED)
                yield from self.lock.write_release()


@pytest.mark.covering("read_percent", "lock")
@every_lock
@pytest.mark.parametrize("read_percent", [0, 60, 90])
@given(n_threads=st.integers(1, 6), seed=st.integers(0, 2**32))
def test_readers_see_whole_writes(interleave, lock, read_percent, n_threads, seed):
    """A writer is alone, no write is lost, and a lock of one word is 0 at the end."""
    run = interleave(Mix(read_percent=read_percent, lock=lock), n_threads, seed)
    # A lock may be built of locks; only its own marks count.
    own = [mark for _, mark, subject in run.log if subject == int(run.root.lock)]
    writes, reads = own.count(Mark.ACQUIRED), own.count(Mark.READ_ACQUIRED)
    assert writes == run.word(run.root.a)
    assert n_threads * ROUNDS == writes + reads
    if lock in ONE_WORD:
        assert 0 == run.word(run.root.lock.state)


@every_lock
def test_readers_overlap(interleave, lock):
    """Two readers are in together in nearly every schedule."""
    run = interleave(Mix(read_percent=100, lock=lock), 4, 3)
    inside = deepest = 0
    for _, mark, subject in run.log:
        if subject != int(run.root.lock):
            continue
        inside += (mark == Mark.READ_ACQUIRED) - (mark == Mark.READ_RELEASED)
        deepest = max(deepest, inside)
    assert deepest > 1


@pytest.mark.parametrize("lock", ONE_WORD)
def test_reader_writes_the_word_twice(interleave, lock):
    """Alone, a read costs two fetch-and-adds on the lock's word: the cause of the plateau."""
    run = interleave(Mix(read_percent=100, lock=lock), 1, 0)
    on_lock = [op.kind for _, op in run.performed if op.address == int(run.root.lock.state)]
    assert [Kind.FETCH_ADD] * (2 * ROUNDS) == on_lock


def test_writer_bit_is_the_sign():
    """With any number of readers on their way in, the word of a held lock is negative."""
    assert wrap64(WRITER) == WRITER
    assert wrap64(WRITER + 1024) < 0
    assert ~WRITER & (WRITER + 1024) == 1024
