"""Counted references, from a count under a lock to lock and count in one word: the solution."""

from locksim.lang import (
    ACQ_REL,
    ACQUIRE,
    RELAXED,
    RELEASE,
    CountedRef,
    Struct,
    array,
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
        yield from self.lock.acquire()
        count = yield self.count.load(RELAXED)
        yield self.count.store(count + 1, RELAXED)
        yield from self.lock.release()

    def put(self):
        yield from self.lock.acquire()
        count = yield self.count.load(RELAXED)
        yield self.count.store(count - 1, RELAXED)
        yield from self.lock.release()
        return count - 1

    def references(self):
        count = yield self.count.load(RELAXED)
        return count

    def acquire(self):
        yield from self.lock.acquire()

    def release(self):
        yield from self.lock.release()


class FetchAdd(UnderLock):
    """Given: the count by fetch_add, without the lock."""

    def get(self):
        yield self.count.fetch_add(1, RELAXED)

    def put(self):
        before = yield self.count.fetch_add(-1, ACQ_REL)
        return before - 1


class OneWord(CountedRef):
    """Lock and count in one word: bit 0 is the lock, bits 32 and up are the count."""

    state = word(ONE)

    def get(self):
        while True:
            old = yield self.state.load(RELAXED)
            if old & LOCKED:
                yield pause()
            elif (yield self.state.compare_swap(old, old + ONE, RELAXED)) == old:
                return

    def put(self):
        while True:
            old = yield self.state.load(RELAXED)
            if old & LOCKED:
                yield pause()
            elif (yield self.state.compare_swap(old, old - ONE, ACQ_REL)) == old:
                return (old - ONE) // ONE

    def references(self):
        value = yield self.state.load(RELAXED)
        return value // ONE

    def acquire(self):
        while True:
            old = yield self.state.load(RELAXED)
            if old & LOCKED:
                yield pause()
            elif (yield self.state.compare_swap(old, old + LOCKED, ACQUIRE)) == old:
                return

    def release(self):
        value = yield self.state.load(RELAXED)
        yield self.state.store(value - LOCKED, RELEASE)


class Life(OneWord):
    """As OneWord, for an object that dies: a dead one has a negative count.

    `most` is the largest count; a check makes it small.
    """

    most = param(1 << 30)

    def get_not_zero(self):
        while True:
            old = yield self.state.load(RELAXED)
            if old & LOCKED:
                yield pause()
            elif old // ONE <= 0 or old // ONE == self.most:
                return 0
            elif (yield self.state.compare_swap(old, old + ONE, ACQUIRE)) == old:
                return 1

    def put_or_lock(self):
        while True:
            old = yield self.state.load(RELAXED)
            if old & LOCKED:
                yield pause()
            elif old // ONE > 1:
                if (yield self.state.compare_swap(old, old - ONE, RELEASE)) == old:
                    return 1
            else:
                yield from self.acquire()
                if (yield from self.references()) == 1:
                    return 0
                yield from self.release()

    def mark_dead(self):
        yield self.state.store(-ONE + LOCKED, RELAXED)


class FreeList(Struct):
    """Numbers 1 to 3: `top` is the first free one and a version, after[n] the one behind n."""

    top = word(1)
    after = array(4)

    def setup(self):
        yield self.after[1].store(2, RELAXED)
        yield self.after[2].store(3, RELAXED)

    def take(self):
        while True:
            top = yield self.top.load(ACQUIRE)
            first = top & 7
            if first == 0:
                return 0
            second = yield self.after[first].load(RELAXED)
            new = (top & -8) + 8 + second
            if (yield self.top.compare_swap(top, new, ACQUIRE)) == top:
                return first

    def give(self, number):
        while True:
            top = yield self.top.load(RELAXED)
            yield self.after[number].store(top & 7, RELAXED)
            new = (top & -8) + 8 + number
            if (yield self.top.compare_swap(top, new, RELEASE)) == top:
                return
