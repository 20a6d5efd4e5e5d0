from locksim.lang import *


class TrySpins(Lock):
    held = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()

    def try_acquire(self):
        while (yield self.held.compare_swap(0, 1, ACQUIRE)) != 0:
            yield pause()
        return 1

    def release(self):
        yield self.held.store(0, RELEASE)
