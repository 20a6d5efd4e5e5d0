"""A lock that works: the swap finds the old value and writes the new one in one step."""

from locksim.lang import Lock, pause, word


class First(Lock):
    """A lock: 0 is free, 1 is taken."""

    taken = word()

    def acquire(self):
        while (yield self.taken.swap(1)):
            yield pause()

    def release(self):
        yield self.taken.store(0)
