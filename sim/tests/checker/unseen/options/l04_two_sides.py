from locksim.lang import *


class TwoSides(Lock):
    wants = array(2)
    turn = word()

    def acquire(self):
        me = thread() % 2
        yield self.wants[me].store(1)
        yield self.turn.store(1 - me)
        while (yield self.wants[1 - me].load()) and (yield self.turn.load()) != me:
            yield pause()

    def release(self):
        yield self.wants[thread() % 2].store(0)
