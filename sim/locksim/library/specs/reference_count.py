"""Reference counts, alone and with the lock under which they stand still."""

from locksim.lang import *
from locksim.library.specs.lock import Mutex

__all__ = ["LockedReferenceCount", "ReferenceCount"]


class ReferenceCount(Struct):
    """``get()`` takes a reference, ``put()`` drops one and gives how many are left; at first 1.

    Only who has a reference may take or drop one.
    """

    count = word(1)

    def get(self):
        before = yield self.count.fetch_add(1)
        assert before > 0

    def put(self):
        before = yield self.count.fetch_add(-1)
        assert before > 0
        return before - 1


class LockedReferenceCount(Mutex):
    """The same with a lock: while it is held the count, ``references()``, stands still."""

    count = word(1)

    def get(self):
        while (yield self.holder.load()):
            yield pause()
        before = yield self.count.fetch_add(1)
        assert before > 0

    def put(self):
        while (yield self.holder.load()):
            yield pause()
        before = yield self.count.fetch_add(-1)
        assert before > 0
        return before - 1

    def references(self):
        count = yield self.count.load()
        return count
