from locksim.lang import *


class DekkerFences(Lock):
    """Dekker with fences, as A. Williams wrote it for C++."""

    flag = array(2)
    turn = word()

    def acquire(self):
        me = cpu()
        other = 1 - me
        yield self.flag[me].store(1, RELAXED)
        yield fence()
        while (yield self.flag[other].load(RELAXED)):
            if (yield self.turn.load(RELAXED)) != me:
                yield self.flag[me].store(0, RELAXED)
                while (yield self.turn.load(RELAXED)) != me:
                    yield pause()
                yield self.flag[me].store(1, RELAXED)
                yield fence()
            yield pause()
        yield fence(ACQUIRE)

    def release(self):
        me = cpu()
        yield self.turn.store(1 - me, RELAXED)
        yield fence(RELEASE)
        yield self.flag[me].store(0, RELAXED)


class DekkerOneFence(Lock):
    """The fence is missing after the flag was raised again."""

    flag = array(2)
    turn = word()

    def acquire(self):
        me = cpu()
        other = 1 - me
        yield self.flag[me].store(1, RELAXED)
        yield fence()
        while (yield self.flag[other].load(RELAXED)):
            if (yield self.turn.load(RELAXED)) != me:
                yield self.flag[me].store(0, RELAXED)
                while (yield self.turn.load(RELAXED)) != me:
                    yield pause()
                yield self.flag[me].store(1, RELAXED)
            yield pause()
        yield fence(ACQUIRE)

    def release(self):
        me = cpu()
        yield self.turn.store(1 - me, RELAXED)
        yield fence(RELEASE)
        yield self.flag[me].store(0, RELAXED)
