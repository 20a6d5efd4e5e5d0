from locksim.lang import *


class CasSpin(Lock):
    held = word()

    def acquire(self):
        while (yield self.held.compare_swap(0, 1, ACQUIRE)) != 0:
            yield pause()

    def release(self):
        yield self.held.store(0, RELEASE)
