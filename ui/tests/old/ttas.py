# A lock as users of commit 5ce6f265 wrote it.
from locksim.lang import *


class PaddedTTASLock(Lock):
    """Test and test-and-set, with a pause that grows."""

    held = word(padded=True)

    def acquire(self):
        wait = 1
        while (yield self.held.swap(1, ACQUIRE)):
            while (yield self.held.load(RELAXED)):
                for _ in range(wait):
                    yield pause()
            if wait < 8:
                wait = wait * 2

    def release(self):
        yield self.held.store(0, RELEASE)
