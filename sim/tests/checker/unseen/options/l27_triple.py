from locksim.lang import *


class TripleCount(Lock):
    held = word()
    odd = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()
        odd = yield self.odd.load(RELAXED)
        yield self.odd.store(3 * odd + 1, RELAXED)

    def release(self):
        yield self.held.store(0, RELEASE)
