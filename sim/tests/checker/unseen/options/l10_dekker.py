from locksim.lang import *


class Dekker(Lock):
    wants = array(2)
    turn = word()

    def acquire(self):
        me = thread()
        yield self.wants[me].store(1, RELEASE)
        while (yield self.wants[1 - me].load(ACQUIRE)):
            if (yield self.turn.load(ACQUIRE)) != me:
                yield self.wants[me].store(0, RELEASE)
                while (yield self.turn.load(ACQUIRE)) != me:
                    yield pause()
                yield self.wants[me].store(1, RELEASE)
            else:
                yield pause()

    def release(self):
        yield self.turn.store(1 - thread(), RELEASE)
        yield self.wants[thread()].store(0, RELEASE)
