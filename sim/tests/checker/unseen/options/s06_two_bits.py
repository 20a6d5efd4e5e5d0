from locksim.lang import *
from locksim.library.locks.ticket import TicketLock


class TwoBits(SeqLock):
    lock = part(TicketLock)
    sequence = word()

    def read_begin(self):
        number = yield self.sequence.load(ACQUIRE)
        while number & 1:
            yield pause()
            number = yield self.sequence.load(ACQUIRE)
        return number

    def read_retry(self, number):
        yield fence(ACQUIRE)
        after = yield self.sequence.load(RELAXED)
        return after != number

    def write_acquire(self):
        yield from self.lock.acquire()
        number = yield self.sequence.load(RELAXED)
        yield self.sequence.store((number + 1) & 3, RELAXED)
        yield fence(RELEASE)

    def write_release(self):
        number = yield self.sequence.load(RELAXED)
        yield self.sequence.store((number + 1) & 3, RELEASE)
        yield from self.lock.release()
