from locksim.lang import *


class Owner(Lock):
    RECURSIVE = True
    owner = word()
    depth = word()

    def acquire(self):
        me = thread() + 1
        if (yield self.owner.load(RELAXED)) != me:
            while (yield self.owner.compare_swap(0, me, ACQUIRE)) != 0:
                yield pause()
        depth = yield self.depth.load(RELAXED)
        yield self.depth.store(depth + 1, RELAXED)

    def release(self):
        depth = yield self.depth.load(RELAXED)
        yield self.depth.store(depth - 1, RELAXED)
        if depth == 1:
            yield self.owner.store(0, RELEASE)
