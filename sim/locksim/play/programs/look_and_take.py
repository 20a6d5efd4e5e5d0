"""Look whether the lock is free, then take it: two steps."""

from locksim.lang import *


class LookAndTake(Lock):
    held = word()

    def acquire(self):
        while (yield self.held.load()) != 0:
            yield pause()
        yield self.held.store(1)

    def release(self):
        yield self.held.store(0)
