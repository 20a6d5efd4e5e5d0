"""Each thread raises its flag and looks at the other's: one of them must see a flag."""

from locksim.lang import *


class StoreBuffer(Workload):
    flag = array(2)
    unseen = word()

    def thread(self):
        yield self.flag[thread()].store(1, RELAXED)
        if (yield self.flag[1 - thread()].load(RELAXED)) == 0:
            before = yield self.unseen.fetch_add(1)
            assert before == 0
