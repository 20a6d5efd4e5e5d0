"""A lock that does not work yet. Try: locklab lab check"""

from locksim.lang import Lock, pause, word


class First(Lock):
    """A lock: 0 is free, 1 is taken."""

    taken = word()

    def acquire(self):
        while (yield self.taken.load()):
            yield pause()
        yield self.taken.store(1)

    def release(self):
        yield self.taken.store(0)
