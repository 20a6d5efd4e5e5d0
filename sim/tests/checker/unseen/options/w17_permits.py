from locksim.lang import *


class Permits(Workload):
    unused = word()

    def thread(self):
        if thread() == 0:
            yield wake(1)
            yield wake(1)
        else:
            yield block()
            yield block()
