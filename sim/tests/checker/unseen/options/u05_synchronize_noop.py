from locksim.lang import *
from locksim.library.locks.ticket import TicketLock


class WaitsForLock(SleepableRCU):
    index = word(padded=True)
    lock = part(TicketLock, padded=True)
    inside = array(2)

    def read_lock(self):
        rank = (yield self.index.load(RELAXED)) & 1
        yield self.inside[rank].fetch_add(1, RELAXED)
        yield fence()
        return rank

    def read_unlock(self, rank):
        yield self.inside[rank].fetch_add(-1, RELEASE)

    def synchronize_srcu(self):
        yield from self.lock.acquire()
        yield fence()
        yield from self.lock.release()

    def wait_for(self, rank):
        while (yield self.inside[rank].load(ACQUIRE)):
            yield pause()
