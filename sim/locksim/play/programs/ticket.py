"""Take a number, and wait until it is served: first come, first served."""

from locksim.lang import *


class Ticket(Lock):
    next_ticket = word()
    now_serving = word()

    def acquire(self):
        mine = yield self.next_ticket.fetch_add(1, RELAXED)
        while (yield self.now_serving.load(ACQUIRE)) != mine:
            yield pause()

    def release(self):
        served = yield self.now_serving.load(RELAXED)
        yield self.now_serving.store(served + 1, RELEASE)
