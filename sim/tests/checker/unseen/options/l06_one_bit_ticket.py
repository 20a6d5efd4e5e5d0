from locksim.lang import *


class OneBitTicket(Lock):
    next_ticket = word()
    serving = word()

    def acquire(self):
        ticket = yield self.next_ticket.fetch_xor(1, RELAXED)
        while (yield self.serving.load(ACQUIRE)) != ticket:
            yield pause()

    def release(self):
        served = yield self.serving.load(RELAXED)
        yield self.serving.store(1 - served, RELEASE)
