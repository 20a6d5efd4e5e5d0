from locksim.lang import *
from locksim.library.locks.ticket import TicketLock


class Inside(Workload):
    lock = part(TicketLock)
    inside = word()

    def thread(self):
        yield self.inside.fetch_add(1)
        yield from self.lock.acquire()
        yield from self.lock.release()
        yield self.inside.fetch_add(-1)

    def invariant(self):
        assert (yield self.inside.load()) <= 1
