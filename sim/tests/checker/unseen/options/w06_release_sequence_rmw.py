from locksim.lang import *


class ReleaseSequenceRmw(Workload):
    data = word(plain=True)
    flag = word()

    def thread(self):
        me = thread()
        if me == 0:
            yield self.data.store(7)
            yield self.flag.store(1, RELEASE)
        elif me == 1:
            yield self.flag.compare_swap(1, 2, RELAXED)
        elif (yield self.flag.load(ACQUIRE)) == 2:
            assert (yield self.data.load()) == 7
