"""A ticket lock whose ticket is drawn by a load and a store."""

from locksim.lang import *


class SplitTicket(Lock):
    next_ticket = word()
    now_serving = word()

    def acquire(self):
        mine = yield self.next_ticket.load()
        yield self.next_ticket.store(mine + 1)
        while (yield self.now_serving.load()) != mine:
            yield pause()

    def release(self):
        served = yield self.now_serving.load()
        yield self.now_serving.store(served + 1)
