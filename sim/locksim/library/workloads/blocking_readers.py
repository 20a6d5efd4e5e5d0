"""Sequence locks whose readers may also wait: optimistic readers, blocking readers, writers.

As ``sequence_readers``, but a share of the reads takes the lock: it waits for writers, keeps
them out and reads once. This is the kernel's ``rename_lock`` under a load of ``d_path`` (the
blocking readers) beside path look-ups (the optimistic ones). One unit of work is one critical
section of any kind.
"""

from locksim.lang import *
from locksim.library.locks.seqrwlock import SeqRWLock
from locksim.library.workloads.sequence_readers import SequenceReaders

__all__ = ["BlockingReaders"]


class BlockingReaders(SequenceReaders):
    """One sequence lock with blocking readers, many CPUs.

    Arguments:
        blocking_percent: share of the readers' critical sections that block, 0 to 100.
        read_percent, words, hold_ps, think_ps and the rest: as in ``ReadersWriters``.
    """

    blocking_percent = param(50)
    lock = part(SeqRWLock, padded=True)

    def section(self):
        assert 0 <= self.blocking_percent <= 100
        if random_below(100) >= self.read_percent:
            yield from self.write()
        elif random_below(100) < self.blocking_percent:
            yield from self.read_blocking()
        else:
            yield from self.read()

    def read_blocking(self):
        yield from self.lock.read_acquire()
        first = 0
        if self.words:
            first = yield self.data[0].load(RELAXED)
        yield from self.hold()
        for i in range(1, self.words):
            assert (yield self.data[i].load(RELAXED)) == first
        yield from self.lock.read_release()
