from locksim.lang import *


class ReleaseSequenceStore(Workload):
    data = word(plain=True)
    flag = word()

    def thread(self):
        if thread() == 0:
            yield self.data.store(7)
            yield self.flag.store(1, RELEASE)
            yield self.flag.store(2, RELAXED)
        elif (yield self.flag.load(ACQUIRE)) == 2:
            assert (yield self.data.load()) == 7
