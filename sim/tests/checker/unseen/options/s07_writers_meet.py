from locksim.lang import *


class WritersMeet(SeqLock):
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
        yield self.sequence.fetch_add(1, ACQUIRE)
        yield fence(RELEASE)

    def write_release(self):
        yield self.sequence.fetch_add(1, RELEASE)
