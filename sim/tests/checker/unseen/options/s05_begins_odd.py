from locksim.lang import *


class BeginsOdd(SeqLock):
    sequence = word()

    def read_begin(self):
        number = yield self.sequence.load(ACQUIRE)
        return number

    def read_retry(self, number):
        yield fence(ACQUIRE)
        after = yield self.sequence.load(RELAXED)
        return after != number

    def write_acquire(self):
        while True:
            number = yield self.sequence.load(RELAXED)
            if number & 1 == 0:
                if (yield self.sequence.compare_swap(number, number + 1, ACQUIRE)) == number:
                    break
            yield pause()
        yield fence(RELEASE)

    def write_release(self):
        number = yield self.sequence.load(RELAXED)
        yield self.sequence.store(number + 1, RELEASE)
