"""Every CPU takes one reader-writer lock again and again, mostly to read.

Writers count all shared words up; readers read them all and check that they are equal, so a
lock that lets a reader in beside a writer stops the run. The words begin on a line of their
own. One unit of work is one critical section of either kind.
"""

from locksim.lang import *
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.workloads.paced import Paced

__all__ = ["ReadersWriters"]

MAX_WORDS = 64


class ReadersWriters(Paced):
    """One reader-writer lock, many CPUs.

    Arguments:
        read_percent: share of the critical sections that only read, 0 to 100.
        words: shared words read or counted up in a critical section, 0 to 64.
        hold_ps: further work under the lock. For it and the rest see :class:`Paced`.
    """

    read_percent = param(90)
    words = param(2)
    lock = part(ReaderPreferenceRWLock, padded=True)
    data = array(MAX_WORDS, word())

    def setup(self):
        assert 0 <= self.read_percent <= 100
        assert 0 <= self.words <= MAX_WORDS
        yield self.data[0].store(0, RELAXED)

    def section(self):
        if random_below(100) < self.read_percent:
            yield from self.read()
        else:
            yield from self.write()

    def read(self):
        yield from self.lock.read_acquire()
        first = 0
        if self.words:
            first = yield self.data[0].load(RELAXED)
        yield from self.hold()
        for i in range(1, self.words):
            assert (yield self.data[i].load(RELAXED)) == first
        yield from self.lock.read_release()

    def write(self):
        yield from self.lock.write_acquire()
        for i in range(self.words):
            value = yield self.data[i].load(RELAXED)
            yield self.data[i].store(value + 1, RELAXED)
        yield from self.hold()
        yield from self.lock.write_release()
