"""Every CPU takes one lock again and again: acquire, change shared words, hold, release, think.

The shared words are counted up with a load and a store each, under the lock: their lines move with
the lock's, so the time for which the lock is held grows with the number of CPUs; and if mutual
exclusion is violated, counts get lost. The words begin on a line of their own. One unit of work is
one critical section.
"""

from locksim.lang import *
from locksim.library.locks.ttas import TTASLock
from locksim.library.workloads.paced import Paced

__all__ = ["CriticalSection"]

MAX_WORDS = 64


class CriticalSection(Paced):
    """One lock, many CPUs: what every lock is first measured with, as a rule in a closed loop.

    Arguments:
        words: shared words counted up under the lock, 0 to 64.
        hold_ps: further work under the lock. For it and the rest see :class:`Paced`.
    """

    words = param(1)
    lock = part(TTASLock, padded=True)
    data = array(MAX_WORDS, word())

    def setup(self):
        assert 0 <= self.words <= MAX_WORDS
        yield fence(RELEASE)

    def section(self):
        yield from self.lock.acquire()
        for i in range(self.words):
            value = yield self.data[i].load(RELAXED)
            yield self.data[i].store(value + 1, RELAXED)
        yield from self.hold()
        yield from self.lock.release()
