from locksim.lang import *


class Mixture(Workload):
    x = array(2)
    r = array(2)

    def thread(self):
        me = thread()
        yield self.x[me].store(1)
        seen = yield self.x[1 - me].load(ACQUIRE)
        yield self.r[me].store(seen, RELAXED)
