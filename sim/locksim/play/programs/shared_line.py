"""Each CPU counts in a word of its own, and all words are on one cache line."""

from locksim.lang import *


class SharedLine(Workload):
    counts = array(16)

    def thread(self):
        while True:
            yield self.counts[cpu()].fetch_add(1, RELAXED)
            yield compute(100 * NS)
            yield done()
