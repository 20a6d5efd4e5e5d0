"""Test-and-set lock: exchange the word until the old value says that it was free.

Mechanism. ``acquire`` writes 1 and looks at what was there; 0 means that the lock is ours.
``release`` writes 0. There is nothing else: no queue, no record of the CPUs that wait.

Invariant. The word is 1 exactly while a CPU is between ``acquire`` and ``release``.

Cost in line transfers. Uncontended: none if this CPU had the lock last, else one for the exchange.
Contended: *every* attempt of every waiter takes the line for writing, so N waiters keep it moving
among themselves, and the releasing store queues up behind them: about N transfers for each handoff,
and the critical section's own misses are slowed down too if they share the line.

Fairness. None. The CPU that releases has the line and may take the lock again at once; a waiter
far away may starve.

Not modelled. Nothing: these two operations are the whole lock.
"""

from locksim.lang import *

__all__ = ["TASLock"]


class TASLock(Lock):
    """Test-and-set spinlock (Anderson, IEEE TPDS 1(1), 1990, section 2)."""

    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)) != 0:
            yield pause()

    def try_acquire(self):
        old = yield self.locked.swap(1, ACQUIRE)
        return old == 0

    def release(self):
        yield self.locked.store(0, RELEASE)
