"""Cohort lock: a ticket lock for each socket, and one above them that a socket keeps for a while.

Mechanism. A CPU takes its socket's lock first. If the socket has the upper lock already, it is in;
otherwise it takes the upper lock too. ``release`` looks whether a CPU of the same socket waits. If
so it keeps the upper lock for the socket and lets go of the lower one only: the next one is in. If
none waits, or after ``batch`` such handoffs in a row, it lets go of the upper lock first.

The upper lock may be released by another CPU than took it, as ticket locks allow; that is why it is
not a ``TicketLock`` here, whose meter would find a CPU that releases what another holds. This pair
is the paper's C-TKT-TKT; any two locks make a cohort lock if the upper one allows that and the
lower one can say whether others wait.

Invariants. ``owns`` is 1 while the socket has the upper lock; it changes under the lower lock only.
A CPU that holds the lower lock of a socket that owns the upper one is in.

Cost in line transfers. Uncontended: none if this CPU had the lock last. A CPU of another socket
needs two, its socket's line and the upper lock's. Contended by many CPUs of a socket, a handoff
costs what the ticket lock costs among those CPUs, all of it within the socket; the lines of the
protected data stay there as well. The upper lock moves once in ``batch`` handoffs.

Fairness. Within a socket first come, first served; between sockets too, with up to ``batch`` + 1
critical sections at a time. A larger batch gives throughput and takes fairness.

A thread that holds the lock must stay on its socket.
"""

from locksim.lang import *
from locksim.library.locks.ticket import TicketLock

__all__ = ["CohortLock"]


class UpperLock(Struct):
    """The ticket lock that a socket holds: another CPU than took it may give it back."""

    next_ticket = word()
    now_serving = word()

    def take(self):
        ticket = yield self.next_ticket.fetch_add(1, RELAXED)
        while (yield self.now_serving.load(ACQUIRE)) != ticket:
            yield pause()

    def give_back(self):
        served = yield self.now_serving.load(RELAXED)
        yield self.now_serving.store(served + 1, RELEASE)


class Cohort(Struct):
    """A socket's lock, whether the socket has the upper lock, and for how many handoffs."""

    lock = part(TicketLock)
    owns = word()
    passed = word()


class CohortLock(Lock):
    """NUMA-aware lock of ticket locks, C-TKT-TKT (Dice, Marathe and Shavit, PPoPP 2012).

    Arguments:
        batch: handoffs in a socket in a row at most.
    """

    batch = param(64)
    upper = part(UpperLock, padded=True)
    cohorts = pernode(Cohort)

    def acquire(self):
        mine = self.cohorts[node()]
        yield from mine.lock.acquire()
        if not (yield mine.owns.load(RELAXED)):
            yield from self.upper.take()
            yield mine.owns.store(1, RELAXED)

    def release(self):
        mine = self.cohorts[node()]
        passed = yield mine.passed.load(RELAXED)
        if passed < self.batch and (yield from self.has_waiters(mine)):
            yield mine.passed.store(passed + 1, RELAXED)
        else:
            yield mine.passed.store(0, RELAXED)
            yield mine.owns.store(0, RELAXED)
            yield from self.upper.give_back()
        yield from mine.lock.release()

    def has_waiters(self, mine: Cohort):
        served = yield mine.lock.now_serving.load(RELAXED)
        taken = yield mine.lock.next_ticket.load(RELAXED)
        return taken - served > 1
