"""Reference count beside a spinlock: every get and every put takes the lock.

Mechanism. ``count`` is a plain word on the lock's line. ``get`` acquires the lock, counts up,
and releases it; ``put`` does so downwards. The kernel's dentries worked like this
(``dget``/``dput`` under ``d_lock``) until ``lockref`` came.

Invariants. The count changes only under the lock. It is the number of gets less the number of
puts, and 1 for the object's maker.

Cost in line transfers. Uncontended: none if this CPU used the object last, else one. Contended:
those of a handoff of the lock. The count itself adds none where it comes with the lock's line, but
the waiters that spin on that line take it away again while the holder counts.

Fairness. The lock's: first come, first served with the ticket lock.

Not modelled. In the kernel, a dentry's lock shares its cache line with other fields that its
holder changes. Here the line holds the lock and the count only.
"""

from locksim.lang import *
from locksim.library.locks.ticket import TicketLock

__all__ = ["SpinlockRef"]


class SpinlockRef(CountedRef):
    """Count under a spinlock (Linux 2.6.38 to 3.11, d_count and d_lock of struct dentry)."""

    count = word(1)
    lock = part(TicketLock)

    def get(self):
        yield from self.acquire()
        count = yield self.count.load(RELAXED)
        yield self.count.store(count + 1, RELAXED)
        yield from self.release()

    def put(self):
        yield from self.acquire()
        count = yield self.count.load(RELAXED)
        yield self.count.store(count - 1, RELAXED)
        yield from self.release()
        return count - 1

    def references(self):
        count = yield self.count.load(RELAXED)
        return count

    def acquire(self):
        yield from self.lock.acquire()

    def try_acquire(self):
        got = yield from self.lock.try_acquire()
        return got

    def release(self):
        yield from self.lock.release()
