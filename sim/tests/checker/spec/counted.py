"""Five wrong counted references; the right ones are the library's."""

from locksim.lang import ACQ_REL, RELAXED, RELEASE, pause
from locksim.library.locks.lockref import LOCKED, ONE, Lockref


class GetsByStore(Lockref):
    """Wrong: a reference is lost when two count at once."""

    def get(self):
        yield from self.acquire()
        yield from self.release()
        value = yield self.lock_count.load(RELAXED)
        yield self.lock_count.store(value + ONE, RELAXED)


class IgnoresTheLock(Lockref):
    """Wrong: the count moves while the lock is held, and its release takes that back."""

    def get(self):
        yield self.lock_count.fetch_add(ONE, RELAXED)


class GivesTheOldCount(Lockref):
    """Wrong: says how many references there were, not how many are left."""

    def put(self):
        while True:
            value = yield self.lock_count.load(RELAXED)
            if value & LOCKED == 0:
                found = yield self.lock_count.compare_swap(value, value - ONE, ACQ_REL)
                if found == value:
                    return value // ONE
            yield pause()


class LooksTwice(Lockref):
    """Wrong: what is left is read again, when others have counted meanwhile."""

    def put(self):
        while True:
            value = yield self.lock_count.load(RELAXED)
            if value & LOCKED == 0:
                found = yield self.lock_count.compare_swap(value, value - ONE, ACQ_REL)
                if found == value:
                    left = yield self.lock_count.load(RELAXED)
                    return left // ONE
            yield pause()


class UnlocksTheOldWord(Lockref):
    """Wrong: the lock is given back before the count under it is stored."""

    def put(self):
        yield from self.acquire()
        value = yield self.lock_count.load(RELAXED)
        yield from self.release()
        yield self.lock_count.store(value - LOCKED - ONE, RELEASE)
        return (value - ONE) // ONE
