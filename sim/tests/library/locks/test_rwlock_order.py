"""Who overtakes whom in the reader-writer locks that promise something about it."""

import pytest

from locksim.lang import RELAXED, Workload, cpu, part, pause, word
from locksim.lang.ops import Kind, Mark
from locksim.library.locks.brlock import BigReaderLock
from locksim.library.locks.qrwlock import WAITING, QueuedRWLock
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.rwlock_writer import ANNOUNCED, WriterPreferenceRWLock


class LateReader(Workload):
    """Thread 0 reads until the writer waits and the late reader has had its chance.

    Thread 1 writes. Thread 2 comes to read when the writer has been seen waiting: ``seen`` tells
    whether the write was over when it got in.
    """

    lock = part(ReaderPreferenceRWLock)
    waits = word()
    written = word()
    late = word()
    seen = word(-1)

    def thread(self):
        if cpu() == 0:
            yield from self.lock.read_acquire()
            while (yield self.lock.state.load(RELAXED)) & self.announced() == 0:
                yield pause()
            yield self.waits.store(1)
            while (yield self.late.load(RELAXED)) == 0:
                yield pause()
            yield from self.lock.read_release()
        elif cpu() == 1:
            while (yield self.lock.state.load(RELAXED)) == 0:
                yield pause()
            yield from self.lock.write_acquire()
            yield self.written.store(1)
            yield from self.lock.write_release()
        else:
            while (yield self.waits.load(RELAXED)) == 0:
                yield pause()
            yield self.late.store(1)
            yield from self.lock.read_acquire()
            written = yield self.written.load(RELAXED)
            yield self.seen.store(written)
            yield from self.lock.read_release()

    def announced(self):
        return ANNOUNCED


class LateReaderOfQueue(LateReader):
    """The same, for the mark of qrwlock."""

    lock = part(QueuedRWLock)

    def announced(self):
        return WAITING


@pytest.mark.parametrize(
    "workload", [LateReader(lock=WriterPreferenceRWLock), LateReaderOfQueue()], ids=str
)
@pytest.mark.parametrize("seed", range(10))
def test_a_late_reader_does_not_overtake_a_waiting_writer(interleave, workload, seed):
    """Once a writer has announced itself, readers that come later get in after it."""
    run = interleave(workload, 3, seed)
    assert 1 == run.word(run.root.seen)


class Turns(Workload):
    """Every thread writes, again and again."""

    lock = part(QueuedRWLock)

    def thread(self):
        for _ in range(5):
            yield from self.lock.write_acquire()
            yield from self.lock.write_release()


@pytest.mark.parametrize("seed", range(10))
def test_qrwlock_serves_its_queue_in_order(interleave, seed):
    """Those that queued up get in in the order of their tickets."""
    run = interleave(Turns(), 4, seed)
    ticket = int(run.root.lock.queue.next_ticket)
    queued = [t for t, op in run.performed if op.kind == Kind.FETCH_ADD and op.address == ticket]
    inner = int(run.root.lock.queue)
    served = [t for t, mark, who in run.log if mark == Mark.ACQUIRED and who == inner]
    assert queued == served
    assert 0 < len(queued)


class BigReads(Workload):
    """Every thread reads a few times."""

    lock = part(BigReaderLock)

    def thread(self):
        for _ in range(3):
            yield from self.lock.read_acquire()
            yield from self.lock.read_release()


def test_brlock_readers_share_no_word(interleave):
    """No two readers touch the same word."""
    run = interleave(BigReads(), 4, 1)
    users: dict[int, set[int]] = {}
    for t, op in run.performed:
        users.setdefault(op.address, set()).add(t)
    assert [1] * 4 == [len(threads) for threads in users.values()]
