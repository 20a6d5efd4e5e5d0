from locksim.lang import *


class SwapMutex(Struct):
    held = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.held.store(0, RELEASE)
