from locksim.lang import *
from locksim.library.locks.ticket import TicketLock


class Abba(Workload):
    first = part(TicketLock)
    second = part(TicketLock)

    def thread(self):
        if thread() == 0:
            yield from self.first.acquire()
            yield from self.second.acquire()
        else:
            yield from self.second.acquire()
            yield from self.first.acquire()
        yield from self.first.release()
        yield from self.second.release()
