"""A line handed round by compare-and-swap: every waiter tries to swap all the time."""

from locksim.lang import *

__all__ = ["HandoffCas"]


class HandoffCas(Workload):
    """CPU i waits for i, then for i + N, and so on; one unit of work is one handoff."""

    line = word(padded=True)
    stop = percpu(word())

    def thread(self):
        mine = cpu()
        while True:
            yield self.stop[cpu()].load(RELAXED)
            if (yield self.line.compare_swap(mine, mine + 1, ACQ_REL)) == mine:
                mine = mine + n_cpus()
                yield done()
