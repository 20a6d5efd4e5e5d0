"""Every CPU takes a reference to one object and drops it again; some take its lock instead.

A lookup that ends at a dentry does this to its count, for every call of ``stat`` or ``open``; a CPU
that changes the dentry takes its lock. The object has one more reference than the CPUs take, so it
never dies. One unit of work is one get with its put, or one section under the lock, in which the
count must stand still.
"""

from locksim.lang import *
from locksim.library.locks.lockref import Lockref
from locksim.library.workloads.paced import Paced

__all__ = ["CountedRefs"]


class CountedRefs(Paced):
    """One counted object, many CPUs.

    Arguments:
        lock_percent: share of the sections that take the object's lock, 0 to 100.
        hold_ps: work with the reference, or under the lock. For it and the rest see
            :class:`Paced`.
    """

    lock_percent = param(0)
    lock = part(Lockref, padded=True)

    def setup(self):
        assert 0 <= self.lock_percent <= 100
        yield fence(RELEASE)

    def section(self):
        if self.lock_percent and random_below(100) < self.lock_percent:
            yield from self.change()
        else:
            yield from self.use()

    def use(self):
        yield from self.lock.get()
        yield from self.hold()
        left = yield from self.lock.put()
        assert left > 0

    def change(self):
        yield from self.lock.acquire()
        before = yield from self.lock.references()
        yield from self.hold()
        after = yield from self.lock.references()
        assert before == after
        yield from self.lock.release()
