from locksim.lang import *


class OneFence(Lock):
    wants = array(2)
    turn = word()

    def acquire(self):
        me = thread()
        yield self.wants[me].store(1, RELAXED)
        yield self.turn.store(1 - me, RELEASE)
        yield fence()
        while (yield self.wants[1 - me].load(ACQUIRE)) and (yield self.turn.load(ACQUIRE)) != me:
            yield pause()

    def release(self):
        yield self.wants[thread()].store(0, RELEASE)
