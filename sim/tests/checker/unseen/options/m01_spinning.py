from locksim.lang import *


class Spinning(CountingSemaphore):
    count = word()

    def setup(self):
        yield self.count.store(self.permits)

    def down(self):
        while True:
            count = yield self.count.load(RELAXED)
            if count > 0:
                if (yield self.count.compare_swap(count, count - 1, ACQUIRE)) == count:
                    return
            yield pause()

    def try_down(self):
        count = yield self.count.load(RELAXED)
        while count > 0:
            before = yield self.count.compare_swap(count, count - 1, ACQUIRE)
            if before == count:
                return 1
            count = before
        return 0

    def up(self):
        yield self.count.fetch_add(1, RELEASE)
