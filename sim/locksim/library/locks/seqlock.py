"""Sequence lock: readers write nothing, and read again if a writer came by.

Mechanism. ``sequence`` is odd while a writer is in. A writer takes a spinlock, against other
writers, counts the sequence up, changes the data, counts it up again and lets go. A reader waits
until the number is even, remembers it, reads the data and looks at the number once more: if it
is another one, what was read may be half old and half new, and the reader starts again.

Invariants. The sequence changes only under ``lock``, by one at a time. Between two equal, even
values of it no CPU wrote. The data must be read and written by atomic operations (RELAXED ones will
do), since readers and a writer do overlap; a value that a reader computes from it before
``read_retry`` may be meaningless, so it must not be followed as a pointer, or only under RCU.

Orders. The reader's first load is an ACQUIRE, against the end of the last write. Its second one
must come *after* its loads of the data, which no order of a load says: hence a fence(ACQUIRE)
before it, as in Boehm's paper. The writer's first store must come *before* its stores of the
data, which no order of a store says: hence a fence(RELEASE) after it. Its last store is a RELEASE.
Linux has the same four: ``smp_rmb`` twice, ``smp_wmb`` twice.

Cost in line transfers. A read of unchanged data: none, on however many CPUs. A write: one for the
line of the number, and then one for every CPU that reads, since its copy of the number is gone. The
lines of the data are added to both. The spinlock is on the number's line: waiting writers disturb
readers.

Fairness. Writers as their spinlock is, here first come first served. Readers have no say: writers
that follow closely on one another make a reader repeat for ever. Only other writers can make a
writer wait.

Not modelled. Disabling preemption in a writer: here threads are pinned. Long readers that fall
back on the lock after a failure are ``seqlock_exclusive`` and ``seqrwlock``.
"""

from locksim.lang import *
from locksim.library.locks.ticket import TicketLock

__all__ = ["SpinSeqLock"]


class SpinSeqLock(SeqLock):
    """Sequence count and spinlock (Lameter, Gelato 2005; Boehm, MSPC 2012; Linux from 2.5.60)."""

    sequence = word()
    lock = part(TicketLock)

    def read_begin(self):
        while True:
            number = yield self.sequence.load(ACQUIRE)
            if number & 1 == 0:
                break
            yield pause()
        return number

    def read_retry(self, number):
        # The fence keeps the loads of the data before the second look.
        yield fence(ACQUIRE)
        after = yield self.sequence.load(RELAXED)
        return after != number

    def write_acquire(self):
        yield from self.lock.acquire()
        yield from self.write_begin()

    def write_release(self):
        yield from self.write_end()
        yield from self.lock.release()

    def write_begin(self):
        number = yield self.sequence.load(RELAXED)
        yield self.sequence.store(number + 1, RELAXED)
        # The fence keeps the stores of the data after the odd number.
        yield fence(RELEASE)

    def write_end(self):
        number = yield self.sequence.load(RELAXED)
        yield self.sequence.store(number + 1, RELEASE)
