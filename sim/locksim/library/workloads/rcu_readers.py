"""Every CPU follows a published pointer again and again, and sometimes replaces what is there.

A reader looks into the box that it finds; its value is 1 from before it was published until it
is freed, so a box that is freed too early stops the run. A replacement waits for a grace period
and frees the old box. After each, the CPU holds no reference and says so. One unit of work is one
critical section of a reader, or one replacement.
"""

from locksim.lang import *
from locksim.library.locks.rcu_qsbr import QSBR
from locksim.library.workloads.paced import Paced

__all__ = ["RcuReaders"]


class Box(Struct):
    """What is published."""

    value = word()


class RcuReaders(Paced):
    """One pointer under RCU, many CPUs.

    Arguments:
        read_percent: share of the units that only read, 0 to 100.
        hold_ps: work of a reader with the box. For it and the rest see :class:`Paced`.
    """

    read_percent = param(99)
    lock = part(QSBR, padded=True)
    shared = pointer(Box, padded=True)

    def setup(self):
        assert 0 <= self.read_percent <= 100
        box = yield alloc(Box)
        yield box.value.store(1, RELAXED)
        yield self.shared.store(box, RELAXED)

    def section(self):
        if random_below(100) < self.read_percent:
            yield from self.read()
        else:
            yield from self.replace()
        yield from self.between()

    def between(self):
        yield from self.lock.quiescent()

    def read(self):
        yield from self.lock.read_lock()
        yield from self.look()
        yield from self.lock.read_unlock()

    def look(self):
        box = yield self.shared.load(ACQUIRE)
        yield from self.hold()
        assert (yield box.value.load(RELAXED)) == 1

    def replace(self):
        new = yield alloc(Box)
        yield new.value.store(1, RELAXED)
        old = yield self.shared.swap(new, ACQ_REL)
        yield from self.grace_period()
        yield free(old)

    def grace_period(self):
        yield from self.lock.synchronize_rcu()
