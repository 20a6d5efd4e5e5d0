from locksim.lang import *


class MarkThenWake(Workload):
    ready = word()

    def thread(self):
        if thread() == 0:
            yield self.ready.store(1, RELEASE)
            yield wake(1)
        else:
            while (yield self.ready.load(ACQUIRE)) == 0:
                yield block()
