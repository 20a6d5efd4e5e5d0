"""Every CPU reads optimistically under one sequence lock again and again, and writes now and then.

Writers count all shared words up, as in ``readers_writers``. Readers read them all, do their work,
and check whether a writer came by: if so they do it again, and so on until no writer did. Then the
words must be equal; if they are not, the run stops. One unit of work is one critical section of
either kind, however often it was read.
"""

from locksim.lang import *
from locksim.library.locks.seqlock import SpinSeqLock
from locksim.library.workloads.readers_writers import ReadersWriters

__all__ = ["SequenceReaders"]


class SequenceReaders(ReadersWriters):
    """One sequence lock, many CPUs; the settings are those of ``ReadersWriters``."""

    lock = part(SpinSeqLock, padded=True)

    def read(self):
        while True:
            number = yield from self.lock.read_begin()
            first = 0
            torn = 0
            if self.words:
                first = yield self.data[0].load(RELAXED)
            yield from self.hold()
            for i in range(1, self.words):
                if (yield self.data[i].load(RELAXED)) != first:
                    torn = 1
            if not (yield from self.lock.read_retry(number)):
                assert not torn
                return
