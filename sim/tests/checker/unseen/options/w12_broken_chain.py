from locksim.lang import *


class BrokenChain(Workload):
    data = word(plain=True)
    first = word()
    second = word()

    def thread(self):
        me = thread()
        if me == 0:
            yield self.data.store(5)
            yield self.first.store(1, RELEASE)
        elif me == 1:
            if (yield self.first.load(RELAXED)):
                yield self.second.store(1, RELEASE)
        elif (yield self.second.load(ACQUIRE)):
            assert (yield self.data.load()) == 5
