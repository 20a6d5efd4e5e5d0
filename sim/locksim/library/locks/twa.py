"""TWA: a ticket lock whose waiters, all but the next one, wait at an array instead of the lock.

Mechanism. As in ``ticket`` a CPU takes a number and waits until it is served. But only the one that
comes next reads ``now_serving`` all the time. The others choose a slot of a waiting array by their
number, remember its value, look once more whether they are next by now, and then wait until the
slot changes. ``release`` serves the next number, and then counts up the slot of the number after
it: its CPU wakes, sees that it is next, and moves to ``now_serving``.

Invariants. Those of the ticket lock; the array decides only where to wait. A slot is counted up
after ``now_serving``: a waiter that read the slot before the count sees the change, one that read
it later sees the new ``now_serving``. Two numbers may share a slot; then a waiter wakes without
cause, looks, and waits again.

Orders. The count of the slot is a RELEASE and the waiter's first look at it an ACQUIRE; otherwise
it could see the new slot and the old ``now_serving``, and wait for a change that has been.

Cost in line transfers. Uncontended: as ``ticket``, none or one, and one more for the slot that
``release`` counts up. Contended, about eight for each handoff whatever N is: the number, the lock's
line for the holder and for the one that is next, the slot for the holder and for the waiter that
moves up. The ticket lock needs N + 1. That takes a slot for each waiter: where several share one,
all of them wake for the one that moves up (56 CPUs of xeon-8176-8x28: 7 transfers with 64 slots, 18
with 8).

Fairness. First come, first served, in the order of the fetch-and-adds.

Not modelled. In the original one array of 4096 words serves all locks of a process; here each lock
has one of its own, with each slot on its own line.
"""

from locksim.lang import *

__all__ = ["TWALock"]

NEXT = 1


class TWALock(Lock):
    """Ticket lock with a waiting array (Dice and Kogan, Euro-Par 2019).

    Arguments:
        slots: of the waiting array.
    """

    slots = param(64)
    next_ticket = word()
    now_serving = word()
    waiting = array("slots", word(), padded=True)

    def acquire(self):
        ticket = yield self.next_ticket.fetch_add(1, RELAXED)
        while ticket - (yield self.now_serving.load(ACQUIRE)) > NEXT:
            seen = yield self.waiting[ticket % self.slots].load(ACQUIRE)
            if ticket - (yield self.now_serving.load(ACQUIRE)) > NEXT:
                while (yield self.waiting[ticket % self.slots].load(ACQUIRE)) == seen:
                    yield pause()
        while (yield self.now_serving.load(ACQUIRE)) != ticket:
            yield pause()

    def try_acquire(self):
        ticket = yield self.now_serving.load(ACQUIRE)
        old = yield self.next_ticket.compare_swap(ticket, ticket + 1, RELAXED)
        return old == ticket

    def release(self):
        served = (yield self.now_serving.load(RELAXED)) + 1
        yield self.now_serving.store(served, RELEASE)
        yield self.waiting[(served + NEXT) % self.slots].fetch_add(1, RELEASE)
