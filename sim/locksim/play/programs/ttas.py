"""Test and test and set: wait by reading, which is free, and exchange when it looks free."""

from locksim.lang import *


class TTAS(Lock):
    held = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)) != 0:
            while (yield self.held.load(RELAXED)) != 0:
                yield pause()

    def release(self):
        yield self.held.store(0, RELEASE)
