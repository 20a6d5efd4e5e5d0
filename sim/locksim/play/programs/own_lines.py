"""Each CPU counts in a word of its own, on a cache line of its own."""

from locksim.lang import *


class OwnLines(Workload):
    counts = percpu(word())

    def thread(self):
        while True:
            yield self.counts[cpu()].fetch_add(1, RELAXED)
            yield compute(100 * NS)
            yield done()
