"""Every CPU takes a reference to one object and drops it again; some take its lock instead.

A lookup that ends at a dentry does this to its count, for every call of ``stat`` or ``open``; who
changes the dentry takes its lock. The object has one more reference than the CPUs take, so it
never dies. One unit of work is one get with its put, or one section under the lock, in which the
count must stand still.
"""

from locksim.lang import (
    NS,
    RELEASE,
    Workload,
    compute,
    done,
    fence,
    param,
    part,
    random_below,
    random_exponential,
)
from locksim.locks.lockref import Lockref

__all__ = ["CountedRefs"]


class CountedRefs(Workload):
    """One counted object, many CPUs.

    Arguments:
        lock_percent: share of the sections that take the object's lock, 0 to 100.
        hold_ps: work with the reference, or under the lock, in picoseconds (0: none).
        think_ps: work between two sections (0: none), the mean where it is random.
        exponential: 1 draws that work from an exponential distribution, 0 makes it always equal.
    """

    lock_percent = param(0)
    hold_ps = param(0)
    think_ps = param(1000 * NS)
    exponential = param(1)
    lock = part(Lockref, padded=True)

    def setup(self):
        assert 0 <= self.lock_percent <= 100
        yield fence(RELEASE)

    def thread(self):
        # Nobody starts in step with anybody else.
        yield compute(random_below(self.think_ps + 1))
        while True:
            if self.lock_percent and random_below(100) < self.lock_percent:
                yield from self.change()
            else:
                yield from self.use()
            yield done()
            if self.think_ps:
                if self.exponential:
                    yield compute(random_exponential(self.think_ps))
                else:
                    yield compute(self.think_ps)

    def use(self):
        yield from self.lock.get()
        if self.hold_ps:
            yield compute(self.hold_ps)
        left = yield from self.lock.put()
        assert left > 0

    def change(self):
        yield from self.lock.acquire()
        before = yield from self.lock.references()
        if self.hold_ps:
            yield compute(self.hold_ps)
        after = yield from self.lock.references()
        assert before == after
        yield from self.lock.release()
