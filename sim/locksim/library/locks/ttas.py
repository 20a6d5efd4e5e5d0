"""Test-and-test-and-set lock: try once, then watch a cached copy until the lock looks free.

Mechanism. The first attempt is a compare-and-swap, without looking. When it fails, the waiter only
reads: its copy of the line stays in its cache, and spinning costs no other CPU anything until the
holder's store takes the copy away. Then it reads again, and tries again if it saw 0. This is the
sequence of Linux's ia64 spinlock up to 2.6.23: ``cmpxchg4.acq``; on failure ``hint @pause``, load,
branch back until the word is 0; ``cmpxchg4.acq`` again. The i386 lock of that time differs only in
the locked instruction (``lock decb``).

Invariant. The word is 1 exactly while a CPU is between ``acquire`` and ``release``.

Cost in line transfers. Uncontended: none if this CPU had the lock last, else one. With N - 1
waiters each release starts a storm: one transfer for the store, then for every waiter a re-read,
and a compare-and-swap for those that saw 0 before the winner's swap was served. All are on one
line, one after another: up to 2N - 1 transfers for each handoff, so the machine-wide rate falls as
1/N.

Fairness. None: the CPU whose compare-and-swap is served first wins, and near CPUs are served
sooner.

Not modelled. Interrupts: the irqsave variant's enabling of interrupts while it waits.
"""

from locksim.lang import *

__all__ = ["TTASLock"]


class TTASLock(Lock):
    """Test-and-test-and-set spinlock (Rudolph and Segall, ISCA 1984; Linux ia64 until 2.6.23)."""

    locked = word()

    def acquire(self):
        while (yield self.locked.compare_swap(0, 1, ACQUIRE)) != 0:
            yield pause()
            while (yield self.locked.load(RELAXED)) != 0:
                yield pause()

    def try_acquire(self):
        old = yield self.locked.compare_swap(0, 1, ACQUIRE)
        return old == 0

    def release(self):
        yield self.locked.store(0, RELEASE)
