"""Who is served next at one line: all CPUs swap their number into a word and see who was before."""

from locksim.lang import *

__all__ = ["ServedNext"]


class ServedNext(Workload):
    """One unit of work is a handoff: a swap that returns another CPU's number.

    Arguments:
        group: CPUs with consecutive numbers, so many, are a group.
        twice: 1 to count handoffs inside groups twice.
    """

    group = param(1)
    twice = param(0)
    line = word(padded=True)
    stop = percpu(word())

    def thread(self):
        while True:
            before = yield self.line.swap(cpu(), RELAXED)
            if before != cpu():
                yield done()
                if self.twice and before // self.group == cpu() // self.group:
                    yield done()
            yield self.stop[cpu()].load(RELAXED)
