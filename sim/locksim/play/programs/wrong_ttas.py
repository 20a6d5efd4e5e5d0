"""Wait by reading, then exchange, and do not look at what the exchange returns. It is wrong."""

from locksim.lang import *


class WrongTTAS(Lock):
    held = word()

    def acquire(self):
        while (yield self.held.load(RELAXED)) != 0:
            yield pause()
        yield self.held.swap(1, ACQUIRE)

    def release(self):
        yield self.held.store(0, RELEASE)
