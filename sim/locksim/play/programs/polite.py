"""Announce yourself, then wait until nobody else has announced themselves."""

from locksim.lang import *


class Polite(Lock):
    wants = array(2)

    def acquire(self):
        yield self.wants[thread()].store(1)
        while (yield self.wants[1 - thread()].load()) != 0:
            yield pause()

    def release(self):
        yield self.wants[thread()].store(0)
