"""A lock that is wrong, for pages that show how it breaks."""

from locksim.lang import Lock, word


class Racy(Lock):
    """Looks, and then takes."""

    locked = word()

    def acquire(self):
        while (yield self.locked.load()) != 0:
            pass
        yield self.locked.store(1)

    def release(self):
        yield self.locked.store(0)
