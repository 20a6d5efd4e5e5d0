from locksim.lang import *


class ThirdGrant(Lock):
    next_ticket = word()
    serving = word()

    def acquire(self):
        ticket = yield self.next_ticket.fetch_add(1, RELAXED)
        while (yield self.serving.load(ACQUIRE)) != ticket:
            yield pause()

    def release(self):
        served = yield self.serving.load(RELAXED)
        yield self.serving.store(min(served + 1, 2), RELEASE)
