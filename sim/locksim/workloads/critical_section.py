"""Every CPU takes one lock again and again: acquire, change shared words, hold, release, think.

The shared words are counted up with a load and a store each, under the lock: their lines move
with the lock's, so the time for which the lock is held grows with the number of CPUs; and if
the lock fails to exclude, counts get lost. The words begin on a line of their own. One unit of
work is one critical section.
"""

from locksim.lang import (
    NS,
    RELAXED,
    RELEASE,
    Workload,
    array,
    compute,
    done,
    fence,
    param,
    part,
    random_below,
    random_exponential,
    word,
)
from locksim.locks.ttas import TTASLock

__all__ = ["CriticalSection"]

MAX_WORDS = 64


class CriticalSection(Workload):
    """One lock, many CPUs: the closed loop that every lock is first measured with.

    Arguments:
        words: shared words counted up under the lock, 0 to 64.
        hold_ps: further work under the lock in picoseconds (0: none).
        think_ps: work between two critical sections (0: none), the mean where it is random.
        exponential: 1 draws that work from an exponential distribution, 0 makes it always equal.
    """

    words = param(1)
    hold_ps = param(0)
    think_ps = param(1000 * NS)
    exponential = param(1)
    lock = part(TTASLock, padded=True)
    data = array(MAX_WORDS, word())

    def setup(self):
        assert 0 <= self.words <= MAX_WORDS
        yield fence(RELEASE)

    def thread(self):
        # Nobody starts in step with anybody else.
        yield compute(random_below(self.think_ps + 1))
        while True:
            yield from self.lock.acquire()
            for i in range(self.words):
                value = yield self.data[i].load(RELAXED)
                yield self.data[i].store(value + 1, RELAXED)
            if self.hold_ps:
                yield compute(self.hold_ps)
            yield from self.lock.release()
            yield done()
            if self.think_ps:
                if self.exponential:
                    yield compute(random_exponential(self.think_ps))
                else:
                    yield compute(self.think_ps)
