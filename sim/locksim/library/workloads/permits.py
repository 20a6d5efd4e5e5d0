"""Work that needs one of a few permits: connections of a pool, buffers, slots of a device.

Each unit takes a permit of a counting semaphore, works with it, and gives it back. With one permit
that is a critical section; with as many as CPUs no thread waits, and what is left is the cost of
the semaphore's own lines.
"""

from locksim.lang import *
from locksim.library.locks.semaphore import QueuedSemaphore
from locksim.library.workloads.paced import Paced

__all__ = ["Permits"]


class Permits(Paced):
    """One semaphore, many CPUs; a unit of work is one permit taken and given back.

    Arguments:
        hold_ps: work with the permit. For it and the rest see :class:`Paced`.
    """

    lock = part(QueuedSemaphore, padded=True)

    def section(self):
        yield from self.lock.down()
        yield from self.hold()
        yield from self.lock.up()
