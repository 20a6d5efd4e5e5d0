from locksim.lang import *


class Neighbours(Workload):
    count = array(3)

    def thread(self):
        me = thread()
        for i in range(2):
            count = yield self.count[me].load(RELAXED)
            yield self.count[me].store(count + 1, RELAXED)
