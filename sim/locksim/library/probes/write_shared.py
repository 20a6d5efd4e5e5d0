"""CPU 0 adds to a word; all others read it again and again, so each addition meets their copies."""

from locksim.lang import *

__all__ = ["WriteShared"]


class WriteShared(Workload):
    """One unit of work is one addition by CPU 0.

    Arguments:
        think_ps: private work between two additions: time for the readers to come back.
    """

    think_ps = param(1_000_000)
    line = word(padded=True)
    stop = percpu(word())

    def thread(self):
        if cpu() == 0:
            while True:
                yield self.stop[cpu()].load(RELAXED)
                yield self.line.fetch_add(1, RELAXED)
                yield done()
                if self.think_ps:
                    yield compute(self.think_ps)
        while True:
            yield self.stop[cpu()].load(RELAXED)
            yield self.line.load(RELAXED)
