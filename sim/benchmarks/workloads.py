"""A workload that only the benchmarks need: CPUs that have nothing to do with one another."""

from locksim.lang import (
    NS,
    RELAXED,
    Workload,
    compute,
    cpu,
    done,
    param,
    percpu,
    random_below,
    word,
)

__all__ = ["PrivateLines"]


class PrivateLines(Workload):
    """Every CPU counts a word on a line of its own: no line ever moves.

    Arguments:
        work_ps: work between two counts, in picoseconds.
    """

    work_ps = param(100 * NS)
    counts = percpu(word())

    def thread(self):  # type: ignore[no-untyped-def]
        """Count, work, count again."""
        yield compute(random_below(self.work_ps))
        while True:
            value = yield self.counts[cpu()].load(RELAXED)
            yield self.counts[cpu()].store(value + 1, RELAXED)
            yield done()
            yield compute(self.work_ps)
