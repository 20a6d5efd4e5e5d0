"""A lock for two threads from loads and stores alone (Peterson, 1981)."""

from locksim.lang import *


class Peterson(Lock):
    wants = array(2)
    turn = word()

    def acquire(self):
        other = 1 - thread()
        yield self.wants[thread()].store(1, RELAXED)
        yield self.turn.store(other, RELAXED)
        while (yield self.wants[other].load(ACQUIRE)) != 0 and (
            yield self.turn.load(ACQUIRE)
        ) == other:
            yield pause()

    def release(self):
        yield self.wants[thread()].store(0, RELEASE)
