from locksim.lang import *


class Dice(Workload):
    slot = array(3)

    def thread(self):
        mine = random_below(3)
        before = yield self.slot[mine].fetch_add(1)
        assert before == 0
