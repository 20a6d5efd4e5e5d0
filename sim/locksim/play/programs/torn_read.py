"""A sequence counter whose reader looks at the number before it reads, and not after."""

from locksim.lang import *


class TornRead(Workload):
    sequence = word()
    one = word()
    other = word()

    def thread(self):
        if thread() == 0:
            yield self.sequence.store(1)
            yield self.one.store(7)
            yield self.other.store(7)
            yield self.sequence.store(2)
        else:
            while (yield self.sequence.load()) % 2 == 1:
                yield pause()
            one = yield self.one.load()
            other = yield self.other.load()
            assert one == other
