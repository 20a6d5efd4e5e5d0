from locksim.lang import *
from locksim.library.locks.ticket import TicketLock


class CountAtEnd(SeqLock):
    lock = part(TicketLock)
    sequence = word()

    def read_begin(self):
        number = yield self.sequence.load(ACQUIRE)
        return number

    def read_retry(self, number):
        yield fence(ACQUIRE)
        after = yield self.sequence.load(RELAXED)
        return after != number

    def write_acquire(self):
        yield from self.lock.acquire()

    def write_release(self):
        number = yield self.sequence.load(RELAXED)
        yield self.sequence.store(number + 2, RELEASE)
        yield from self.lock.release()
