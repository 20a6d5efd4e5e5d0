"""Anderson's array lock: a ticket that says where to wait, and a line for each place.

Mechanism. ``acquire`` takes the next number by a fetch-and-add; modulo N it is a place in an array
of flags, each on a line of its own. The CPU waits until the flag of its place is set, and clears it
for the next round. ``release`` sets the flag of the following place.

Invariants. Exactly one flag is set while the lock is free, none while a CPU holds it (between the
clearing and the release). At most N CPUs hold or wait, so no two wait at one place.

Orders. The fetch-and-add both releases and acquires. A CPU clears its flag, and when it comes again
its fetch-and-add hands that on to the one that waits at this place in the next round. With less,
under c11, that one could still read the flag as it was, and go in.

Cost in line transfers. Uncontended: three for each move of the lock to another CPU (the numbers'
line, the place, the next place), and as many even if the same CPU comes again: the places go round.
Contended, four for each handoff whatever N is: one for the number, one to clear the own flag, one
to set the next one's, one for the waiter to see it. Only the fetch-and-add is on a line that all
share. The lock takes N + 1 lines, which is its price: N lines for *each* lock.

Fairness. First come, first served, in the order of the fetch-and-adds.

No ``try_acquire``: a number that was taken must be waited for.

Not modelled. Numbers that wrap around where N is no power of two: 64 bits do not wrap.
"""

from locksim.lang import *

__all__ = ["AndersonLock"]


class AndersonLock(Lock):
    """Array queue lock (Anderson, IEEE TPDS 1(1), 1990)."""

    next_place = word(padded=True)
    may_go = percpu(word())
    mine = percpu(word())

    def setup(self):
        yield self.may_go[0].store(1, RELAXED)

    def acquire(self):
        place = (yield self.next_place.fetch_add(1, ACQ_REL)) % n_cpus()
        while (yield self.may_go[place].load(ACQUIRE)) == 0:
            yield pause()
        yield self.may_go[place].store(0, RELAXED)
        yield self.mine[cpu()].store(place, RELAXED)

    def release(self):
        place = yield self.mine[cpu()].load(RELAXED)
        yield self.may_go[(place + 1) % n_cpus()].store(1, RELEASE)
