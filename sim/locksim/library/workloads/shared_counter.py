"""All CPUs count on the same words, without a lock: the loop of many published benchmarks.

By ``fetch_add`` each word takes one transaction. By compare-and-swap a CPU reads the word, tries to
put one more there, and tries again with what it found instead: a failed try costs a transaction
too, and near CPUs fail less often.
"""

from locksim.lang import *

__all__ = ["SharedCounter"]

MAX_WORDS = 8


class SharedCounter(Workload):
    """One unit of work is one operation of the counter.

    Arguments:
        words: words to add to, one after another, each on a line of its own, 1 to 8.
        compare: 1: compare-and-swap on the first word, until it succeeds.
        think_ps: private work between two operations.
    """

    words = param(1)
    compare = param(0)
    think_ps = param(0)
    lines = array(MAX_WORDS, word(padded=True))

    def thread(self):
        while True:
            if self.compare:
                seen = yield self.lines[0].load(RELAXED)
                found = yield self.lines[0].compare_swap(seen, seen + 1, RELAXED)
                while found != seen:
                    seen = found
                    found = yield self.lines[0].compare_swap(seen, seen + 1, RELAXED)
            else:
                yield self.lines[0].fetch_add(1, RELAXED)
                for i in range(1, self.words):
                    yield self.lines[i].fetch_add(1, RELAXED)
            yield done()
            if self.think_ps:
                yield compute(self.think_ps)
