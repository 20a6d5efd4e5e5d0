"""The solution."""

from locksim.lang import ACQUIRE, RELEASE, Lock, pause, word


class TAS(Lock):
    """Test-and-set: swap in a 1 until the old value is 0."""

    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.locked.store(0, RELEASE)
