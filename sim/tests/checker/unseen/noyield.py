from locksim.lang import *


class NoYield(Lock):
    """The release is written without a yield."""

    held = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        self.held.store(0, RELEASE)
