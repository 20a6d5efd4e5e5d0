from locksim.lang import *


class ReleaseNoop(Lock):
    held = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield fence(RELEASE)
