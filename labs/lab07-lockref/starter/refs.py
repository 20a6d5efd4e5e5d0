"""Counted references for you to write: replace the `yield pause()` lines.

Try: locklab lab check
"""

from locksim.lang import (  # everything that you need
    ACQ_REL,
    ACQUIRE,
    RELAXED,
    RELEASE,
    CountedRef,
    Struct,
    array,
    fence,
    param,
    part,
    pause,
    word,
)
from locksim.library.locks.ticket import TicketLock

LOCKED = 1
ONE = 1 << 32


class UnderLock(CountedRef):
    """A count beside a spinlock: whoever counts takes the lock."""

    count = word(1)
    lock = part(TicketLock)

    def get(self):
        yield pause()

    def put(self):
        """Return how many references are left."""
        yield pause()
        return 0

    def references(self):
        count = yield self.count.load(RELAXED)
        return count

    def acquire(self):
        yield from self.lock.acquire()

    def release(self):
        yield from self.lock.release()


class FetchAdd(UnderLock):
    """Given: the count by fetch_add, without the lock. Leave it as it is."""

    def get(self):
        yield self.count.fetch_add(1, RELAXED)

    def put(self):
        before = yield self.count.fetch_add(-1, ACQ_REL)
        return before - 1


class OneWord(CountedRef):
    """Lock and count in one word: bit 0 is the lock, bits 32 and up are the count."""

    state = word(ONE)

    def get(self):
        yield pause()

    def put(self):
        """Return how many references are left."""
        yield pause()
        return 0

    def references(self):
        value = yield self.state.load(RELAXED)
        return value // ONE

    def acquire(self):
        yield pause()

    def release(self):
        yield pause()


class Life(OneWord):
    """As OneWord, for an object that dies: a dead one has a negative count.

    `most` is the largest count; a check makes it small.
    """

    most = param(1 << 30)

    def get_not_zero(self):
        """Return 1 with a new reference, or 0: none is left, it is dead, or the count is full."""
        yield pause()
        return 0

    def put_or_lock(self):
        """Return 1: a reference was put. Or 0: it is the last one, kept, and the lock is held."""
        yield pause()
        return 1

    def mark_dead(self):
        """Only with the lock: no thread gets a reference any more."""
        yield pause()


class FreeList(Struct):
    """Given, with a bug: numbers 1 to 3. `top` is the first free one, after[n] the one behind n."""

    top = word(1)
    after = array(4)

    def setup(self):
        yield self.after[1].store(2, RELAXED)
        yield self.after[2].store(3, RELAXED)

    def take(self):
        """Return a free number, which is the caller's now, or 0."""
        while True:
            first = yield self.top.load(ACQUIRE)
            if first == 0:
                return 0
            second = yield self.after[first].load(RELAXED)
            if (yield self.top.compare_swap(first, second, ACQUIRE)) == first:
                return first

    def give(self, number):
        """Give a number back."""
        while True:
            first = yield self.top.load(RELAXED)
            yield self.after[number].store(first, RELAXED)
            if (yield self.top.compare_swap(first, number, RELEASE)) == first:
                return
