from locksim.lang import *


class Flat(Lock):
    RECURSIVE = True
    owner = word()

    def acquire(self):
        me = thread() + 1
        if (yield self.owner.load(RELAXED)) != me:
            while (yield self.owner.compare_swap(0, me, ACQUIRE)) != 0:
                yield pause()

    def release(self):
        yield self.owner.store(0, RELEASE)
