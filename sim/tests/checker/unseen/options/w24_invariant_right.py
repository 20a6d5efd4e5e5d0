from locksim.lang import *
from locksim.library.locks.ticket import TicketLock


class InsideRight(Workload):
    lock = part(TicketLock)
    inside = word()

    def thread(self):
        yield from self.lock.acquire()
        yield self.inside.fetch_add(1)
        yield self.inside.fetch_add(-1)
        yield from self.lock.release()

    def invariant(self):
        assert (yield self.inside.load()) <= 1
