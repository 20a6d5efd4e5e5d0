"""A line handed round by a store: each CPU reads it till its number comes, then writes the next."""

from locksim.lang import *

__all__ = ["HandoffStore"]


class HandoffStore(Workload):
    """One unit of work is one handoff.

    Arguments:
        pauses: 1 to pause between two looks, as locks do.
    """

    pauses = param(0)
    line = word(padded=True)
    stop = percpu(word())

    def thread(self):
        mine = cpu()
        while True:
            yield self.stop[cpu()].load(RELAXED)
            if (yield self.line.load(ACQUIRE)) == mine:
                yield self.line.store(mine + 1, RELEASE)
                mine = mine + n_cpus()
                yield done()
            elif self.pauses:
                yield pause()
