"""All CPUs add to one word. Its line's transactions are the runs: each begins with a miss."""

from locksim.lang import *

__all__ = ["ContendedAdd"]


class ContendedAdd(Workload):
    """One unit of work is one addition.

    Arguments:
        think_ps: private work between two additions (0: none).
    """

    think_ps = param(0)
    line = word(padded=True)
    stop = percpu(word())

    def thread(self):
        while True:
            yield self.line.fetch_add(1, RELAXED)
            yield done()
            if self.think_ps:
                yield compute(self.think_ps)
            yield self.stop[cpu()].load(RELAXED)
