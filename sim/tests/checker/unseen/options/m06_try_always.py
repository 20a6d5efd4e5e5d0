from locksim.lang import *


class TryAlways(CountingSemaphore):
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
        yield self.count.fetch_add(-1, ACQUIRE)
        return 1

    def up(self):
        yield self.count.fetch_add(1, RELEASE)
