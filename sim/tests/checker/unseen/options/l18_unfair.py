from locksim.lang import *


class UnfairSwap(Lock):
    held = word()

    def acquire(self):
        while True:
            while (yield self.held.load(RELAXED)):
                yield pause()
            if (yield self.held.swap(1, ACQUIRE)) == 0:
                return

    def release(self):
        yield self.held.store(0, RELEASE)
