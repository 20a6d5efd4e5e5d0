from locksim.lang import *


class LoadBuffering(Workload):
    x = array(2)
    r = array(2)

    def thread(self):
        me = thread()
        seen = yield self.x[me].load(RELAXED)
        yield self.x[1 - me].store(1, RELAXED)
        yield self.r[me].store(seen, RELAXED)
