from locksim.lang import *


class TwoPlusTwo(Workload):
    x = word()
    y = word()

    def thread(self):
        if thread() == 0:
            yield self.x.store(1, RELEASE)
            yield self.y.store(2, RELEASE)
        else:
            yield self.y.store(1, RELEASE)
            yield self.x.store(2, RELEASE)
