"""Sequence count and reader-writer lock: optimistic readers, blocking readers, writers.

Mechanism. As ``seqlock``, with a reader-writer lock where that has a spinlock. A writer takes it
for writing and counts the sequence up round its change. A *blocking* reader takes it for
reading: it waits for the writer, keeps writers out, needs no second look, and lets other blocking
readers in beside it. An *optimistic* reader looks at the sequence only.

Long proposed this lock in 2013 for the kernel's ``rename_lock``. ``d_path`` took that lock as a
writer, though it changes nothing, only to avoid being disturbed. So each call forced all path
look-ups of the machine, which are optimistic readers, to begin again, and two calls excluded each
other. As a blocking reader, ``d_path`` does neither.

Invariants. The sequence changes only while the lock is held for writing, so it stands still, and is
even, while a blocking reader is in. A writer and a blocking reader are never in together.

Cost in line transfers. Optimistic read of unchanged data: none. Blocking read: two writes of the
lock's word, so blocking readers all over the machine share a constant rate, as any readers of
``rwlock``; and since the sequence is on that word's line, an optimistic reader that comes by
fetches the line again. Write: the line, and again for each CPU that reads.

Fairness. The reader-writer lock prefers readers: a steady stream of blocking readers starves the
writers, and writers that follow closely on one another starve optimistic readers.

Not modelled. Nothing beyond what ``seqlock`` and ``rwlock`` leave out. Mainline took what Long
proposed half a year later: ``seqlock_exclusive``.
"""

from locksim.lang import *
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.seqlock import SpinSeqLock

__all__ = ["SeqRWLock"]


class SeqRWLock(SpinSeqLock):
    """Seqlock with blocking readers (Long, "seqrwlock", Linux kernel mailing list, 2013)."""

    lock = part(ReaderPreferenceRWLock)

    def read_acquire(self):
        yield from self.lock.read_acquire()

    def read_release(self):
        yield from self.lock.read_release()

    def write_acquire(self):
        yield from self.lock.write_acquire()
        yield from self.write_begin()

    def write_release(self):
        yield from self.write_end()
        yield from self.lock.write_release()
