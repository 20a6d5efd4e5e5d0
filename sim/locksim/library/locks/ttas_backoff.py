"""Test-and-test-and-set lock with bounded, randomised exponential back-off.

Mechanism. A waiter watches a cached copy as in TTAS, and tries when it sees the lock free. When the
try fails, it stays away from the line for a random time below a limit, and doubles the limit for
the next failure, up to a bound. CPUs that stay away neither re-read nor try, so the storm after a
release shrinks to the few that happen to be looking.

Invariants. The word is 1 exactly while a CPU is between ``acquire`` and ``release``. The limit lies
between ``base_ps`` and ``bound_ps``, and every acquisition starts again at ``base_ps``.

Cost in line transfers. Uncontended: none if this CPU had the lock last, else one. Contended: a few
for each handoff instead of TTAS's 2N - 1, at the price of idle time: the lock may lie free until a
CPU comes back.

Fairness. Worse than TTAS: a CPU that has failed often stays away longest, and the last holder is
often the only one there. With no work between two critical sections one CPU can keep the lock for a
long time. The throughput is then high, but only that CPU makes progress.

Parameters. The base should be about one handoff, the bound several handoffs times N: with too short
a bound all waiters are back before the next release, and the storm with them. (At 32 CPUs and half
a microsecond a transfer, 16 us hardly helps and 128 us leaves a fifth of the transfers or less.)
Too long a bound wastes time when the contention is over.

Not modelled. Nothing: these operations are the whole lock.
"""

from locksim.lang import *

__all__ = ["TTASBackoffLock"]


class TTASBackoffLock(Lock):
    """TTAS with exponential back-off (Anderson, IEEE TPDS 1(1), 1990, section 4).

    Arguments:
        base_ps: limit of the first wait in picoseconds, at least 1.
        bound_ps: largest limit in picoseconds, at least ``base_ps``.
    """

    base_ps = param(1 * US)
    bound_ps = param(128 * US)
    locked = word()

    def setup(self):
        assert 1 <= self.base_ps <= self.bound_ps
        yield self.locked.store(0, RELAXED)

    def acquire(self):
        limit = self.base_ps
        while (yield self.locked.compare_swap(0, 1, ACQUIRE)) != 0:
            yield pause()
            yield compute(1 + random_below(limit))
            limit = 2 * limit
            if limit > self.bound_ps:
                limit = self.bound_ps
            while (yield self.locked.load(RELAXED)) != 0:
                yield pause()

    def try_acquire(self):
        old = yield self.locked.compare_swap(0, 1, ACQUIRE)
        return old == 0

    def release(self):
        yield self.locked.store(0, RELEASE)
