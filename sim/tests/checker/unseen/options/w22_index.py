from locksim.lang import *


class IndexOfThird(Workload):
    slot = array(2)

    def thread(self):
        yield self.slot[thread()].store(1)
