from locksim.lang import *


class FencesPassData(Workload):
    data = word(plain=True)
    flag = word()

    def thread(self):
        if thread() == 0:
            yield self.data.store(5)
            yield fence(RELEASE)
            yield self.flag.store(1, RELAXED)
        elif (yield self.flag.load(RELAXED)):
            yield fence(ACQUIRE)
            assert (yield self.data.load()) == 5
