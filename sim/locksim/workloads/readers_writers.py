"""Every CPU takes one reader-writer lock again and again, mostly to read.

Writers count all shared words up; readers read them all and check that they are equal, so a
lock that lets a reader in beside a writer stops the run. The words begin on a line of their
own. One unit of work is one critical section of either kind.
"""

from locksim.lang import (
    NS,
    RELAXED,
    Workload,
    array,
    compute,
    done,
    param,
    part,
    random_below,
    random_exponential,
    word,
)
from locksim.locks.rwlock import ReaderPreferenceRWLock

__all__ = ["ReadersWriters"]

MAX_WORDS = 64


class ReadersWriters(Workload):
    """One reader-writer lock, many CPUs.

    Arguments:
        read_percent: share of the critical sections that only read, 0 to 100.
        words: shared words read or counted up in a critical section, 0 to 64.
        hold_ps: further work under the lock in picoseconds (0: none).
        think_ps: work between two critical sections (0: none), the mean where it is random.
        exponential: 1 draws that work from an exponential distribution, 0 makes it always equal.
    """

    read_percent = param(90)
    words = param(2)
    hold_ps = param(0)
    think_ps = param(1000 * NS)
    exponential = param(1)
    lock = part(ReaderPreferenceRWLock, padded=True)
    data = array(MAX_WORDS, word())

    def setup(self):
        assert 0 <= self.read_percent <= 100
        assert 0 <= self.words <= MAX_WORDS
        yield self.data[0].store(0, RELAXED)

    def thread(self):
        # Nobody starts in step with anybody else.
        yield compute(random_below(self.think_ps + 1))
        while True:
            yield from self.section()
            yield done()
            if self.think_ps:
                if self.exponential:
                    yield compute(random_exponential(self.think_ps))
                else:
                    yield compute(self.think_ps)

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
        if self.hold_ps:
            yield compute(self.hold_ps)
        for i in range(1, self.words):
            assert (yield self.data[i].load(RELAXED)) == first
        yield from self.lock.read_release()

    def write(self):
        yield from self.lock.write_acquire()
        for i in range(self.words):
            value = yield self.data[i].load(RELAXED)
            yield self.data[i].store(value + 1, RELAXED)
        if self.hold_ps:
            yield compute(self.hold_ps)
        yield from self.lock.write_release()
