from locksim.lang import *


class LostWakeup(Lock):
    held = word()
    waiter = word()

    def acquire(self):
        while (yield self.held.swap(1)):
            yield self.waiter.store(cpu() + 1)
            yield block()

    def release(self):
        yield self.held.store(0)
        number = yield self.waiter.load()
        if number:
            yield self.waiter.store(0)
            yield wake(number - 1)
