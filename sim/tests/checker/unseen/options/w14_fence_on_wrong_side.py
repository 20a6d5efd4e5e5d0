from locksim.lang import *


class WrongSide(Workload):
    data = word(plain=True)
    flag = word()

    def thread(self):
        if thread() == 0:
            yield self.data.store(5)
            yield fence(RELEASE)
            yield self.flag.store(1, RELAXED)
        else:
            yield fence(ACQUIRE)
            if (yield self.flag.load(RELAXED)):
                assert (yield self.data.load()) == 5
