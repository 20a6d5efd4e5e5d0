"""Test and set: look and take in one step, an atomic exchange."""

from locksim.lang import *


class TAS(Lock):
    held = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)) != 0:
            yield pause()

    def release(self):
        yield self.held.store(0, RELEASE)
