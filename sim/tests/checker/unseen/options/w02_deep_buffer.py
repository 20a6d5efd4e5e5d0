from locksim.lang import *


class DeepBuffer(Workload):
    flag = array(2)
    noise = array(2)
    seen = word()

    def thread(self):
        me = thread()
        for i in range(5):
            yield self.noise[me].store(i, RELAXED)
        yield self.flag[me].store(1, RELAXED)
        if (yield self.flag[1 - me].load(RELAXED)) == 0:
            before = yield self.seen.fetch_add(1, RELAXED)
            assert before == 0
