from locksim.lang import *
from locksim.library.kernel.dcache import Dcache
from locksim.library.locks.ticket import TicketLock


class DcachePutTwice(Dcache):
    rename_lock = part(TicketLock, padded=True)

    def walk_enter(self, attempt):
        yield from self.rename_lock.acquire()
        return 0

    def walk_leave(self, attempt, token):
        left = yield from self.dentries[0].count.put()
        yield from self.rename_lock.release()
        return left * 0

    def move_acquire(self):
        yield from self.rename_lock.acquire()

    def move_release(self):
        yield from self.rename_lock.release()
