"""A workload for the benchmarks: CPUs that share nothing."""

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
    """Every CPU increments a word on its own line, so no line ever moves.

    Arguments:
        work_ps: work between two increments, in picoseconds.
    """

    work_ps = param(100 * NS)
    counts = percpu(word())

    def thread(self):  # type: ignore[no-untyped-def]
        """Increment, work, repeat."""
        yield compute(random_below(self.work_ps))
        while True:
            value = yield self.counts[cpu()].load(RELAXED)
            yield self.counts[cpu()].store(value + 1, RELAXED)
            yield done()
            yield compute(self.work_ps)
