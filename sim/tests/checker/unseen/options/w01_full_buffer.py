from locksim.lang import *


class FullBuffer(Workload):
    x = word()

    def thread(self):
        if thread() == 0:
            for i in range(10):
                yield self.x.store(i + 1, RELAXED)
        else:
            first = yield self.x.load(RELAXED)
            second = yield self.x.load(RELAXED)
            assert second >= first
