from locksim.lang import *


class SleepNoRecheck(CountingSemaphore):
    count = word()
    sleeper = word()

    def setup(self):
        yield self.count.store(self.permits)

    def take(self):
        count = yield self.count.load()
        while count > 0:
            before = yield self.count.compare_swap(count, count - 1)
            if before == count:
                return 1
            count = before
        return 0

    def down(self):
        while not (yield from self.take()):
            yield self.sleeper.store(cpu() + 1)
            yield block()

    def up(self):
        yield self.count.fetch_add(1)
        number = yield self.sleeper.swap(0)
        if number:
            yield wake(number - 1)
