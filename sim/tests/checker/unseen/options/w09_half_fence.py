from locksim.lang import *


class HalfFence(Workload):
    x = array(2)
    r = array(2)

    def thread(self):
        me = thread()
        yield self.x[me].store(1, RELAXED)
        if me == 0:
            yield fence()
        else:
            yield fence(ACQ_REL)
        seen = yield self.x[1 - me].load(RELAXED)
        yield self.r[me].store(seen, RELAXED)
