"""Two locks, and each thread takes the other one first."""

from locksim.lang import *


class TwoLocks(Workload):
    held = array(2)

    def thread(self):
        first = thread()
        second = 1 - first
        while (yield self.held[first].swap(1)) != 0:
            yield pause()
        while (yield self.held[second].swap(1)) != 0:
            yield pause()
        yield self.held[second].store(0)
        yield self.held[first].store(0)
