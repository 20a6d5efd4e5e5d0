from locksim.lang import *
from locksim.library.locks.ticket import TicketLock


class OneAtATime(RWLock):
    lock = part(TicketLock)

    def read_acquire(self):
        yield from self.lock.acquire()

    def read_release(self):
        yield from self.lock.release()

    def write_acquire(self):
        yield from self.lock.acquire()

    def write_release(self):
        yield from self.lock.release()
