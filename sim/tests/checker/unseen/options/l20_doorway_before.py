from locksim.lang import *


class DoorwayBefore(Lock):
    greeting = perthread(word())
    next_ticket = word()
    serving = word()

    def acquire(self):
        yield self.greeting[thread()].load(RELAXED)
        yield doorway()
        ticket = yield self.next_ticket.fetch_add(1, RELAXED)
        while (yield self.serving.load(ACQUIRE)) != ticket:
            yield pause()

    def release(self):
        served = yield self.serving.load(RELAXED)
        yield self.serving.store(served + 1, RELEASE)
