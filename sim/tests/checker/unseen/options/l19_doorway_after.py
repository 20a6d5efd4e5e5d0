from locksim.lang import *


class DoorwayAfter(Lock):
    next_ticket = word()
    serving = word()

    def acquire(self):
        ticket = yield self.next_ticket.fetch_add(1, RELAXED)
        yield doorway()
        while (yield self.serving.load(ACQUIRE)) != ticket:
            yield pause()

    def release(self):
        served = yield self.serving.load(RELAXED)
        yield self.serving.store(served + 1, RELEASE)
