"""Each CPU stores to a word of its own, and all the words are on one line."""

from locksim.lang import *

__all__ = ["FalseSharing"]

WORDS = 7
"""As many as share a line in ``native/probes/pair.h``."""


class FalseSharing(Workload):
    """One unit of work is one store.

    Arguments:
        think_ps: private work between two stores (0: none).
    """

    think_ps = param(0)
    words = array(WORDS, word())
    stop = percpu(word())

    def thread(self):
        count = 0
        while True:
            count = count + 1
            yield self.words[cpu() % WORDS].store(count, RELAXED)
            yield done()
            if self.think_ps:
                yield compute(self.think_ps)
            yield self.stop[cpu()].load(RELAXED)
