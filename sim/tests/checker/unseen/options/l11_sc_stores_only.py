from locksim.lang import *


class ScStoresOnly(Lock):
    wants = array(2)
    turn = word()

    def acquire(self):
        me = thread()
        yield self.wants[me].store(1)
        yield self.turn.store(1 - me)
        while (yield self.wants[1 - me].load(ACQUIRE)) and (yield self.turn.load(ACQUIRE)) != me:
            yield pause()

    def release(self):
        yield self.wants[thread()].store(0)
