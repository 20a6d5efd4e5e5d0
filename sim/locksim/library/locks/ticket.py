"""Ticket lock: take a number, wait until it is served.

Mechanism. ``acquire`` takes the next number by one fetch-and-add, and then only reads until
``now_serving`` shows that number. ``release`` counts ``now_serving`` up with a plain store:
only the holder writes it.

Invariants. ``now_serving <= next_ticket``; the difference is the number of CPUs that hold or wait.
No number is given twice, so mutual exclusion needs nothing but the counting.

Cost in line transfers. Uncontended: none if this CPU had the lock last, else one. Both words lie on
one line. With N - 1 waiters a release takes the line (one transfer), then every waiter reads it
again (N - 1), and the arrival's fetch-and-add takes it from all of them: N + 1 for each handoff,
and more where waiters read again before the next release: half of TTAS's storm or a little above,
but still growing with N.

Fairness. First come, first served, in the order of the fetch-and-adds. The price: when the next in
line is far away or not running, all waiters wait for it.

Not modelled. The kernel's numbers are 8 or 16 bits wide and wrap around; 64 bits do not.
Waiting in proportion to the distance in the queue, which Mellor-Crummey and Scott recommend, is
left out as in Linux.
"""

from locksim.lang import *

__all__ = ["TicketLock"]


class TicketLock(Lock):
    """FIFO spinlock (Mellor-Crummey and Scott, ACM TOCS 9(1), 1991; Linux x86, 2.6.25 to 4.1)."""

    next_ticket = word()
    now_serving = word()

    def acquire(self):
        ticket = yield self.next_ticket.fetch_add(1, RELAXED)
        while (yield self.now_serving.load(ACQUIRE)) != ticket:
            yield pause()

    def try_acquire(self):
        # The acquiring load meets the last holder's release; the swap only claims the number,
        # and it can succeed only while no thread has taken that number.
        ticket = yield self.now_serving.load(ACQUIRE)
        old = yield self.next_ticket.compare_swap(ticket, ticket + 1, RELAXED)
        return old == ticket

    def release(self):
        served = yield self.now_serving.load(RELAXED)
        yield self.now_serving.store(served + 1, RELEASE)
