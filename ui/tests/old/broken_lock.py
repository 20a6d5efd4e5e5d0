from locksim.lang import *


class BrokenLock(Lock):
    held = word()

    def acquire(self):
        while (yield self.held.load()):
            yield pause()
        yield self.held.store(1)

    def release(self):
        yield self.held.store(0)
