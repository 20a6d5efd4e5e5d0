"""The same lock, and an exchange writes the turn: it empties the store buffer first."""

from locksim.lang import *


class PetersonSwap(Lock):
    wants = array(2)
    turn = word()

    def acquire(self):
        other = 1 - thread()
        yield self.wants[thread()].store(1, RELAXED)
        yield self.turn.swap(other, ACQ_REL)
        while (yield self.wants[other].load(ACQUIRE)) != 0 and (
            yield self.turn.load(ACQUIRE)
        ) == other:
            yield pause()

    def release(self):
        yield self.wants[thread()].store(0, RELEASE)
