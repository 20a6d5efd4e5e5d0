"""Several CPUs receive labelled messages at the same time: the label cache under contention.

Each CPU works, then asks for the label of a message, drawn at random from ``n_labels``. More labels
than the cache has room for make it miss and evict; few of them make the CPUs meet at a bucket's
lock, at an entry's activity and at a label's count. One unit of work is one message.
"""

from locksim.lang import *
from locksim.library.kernel.netlabel import NetLabel

__all__ = ["LabelLookups"]


class LabelLookups(Workload):
    """One host's label cache, many CPUs.

    Arguments:
        n_labels: different labels, at least 1.
        other_ps: mean work for one message outside the labels, in picoseconds, at least 1.
    """

    n_labels = param(64)
    other_ps = param(5000 * NS)
    labels = part(NetLabel(option_ps=100 * NS, translate_ps=16000 * NS))

    def thread(self):
        yield compute(random_below(self.other_ps + 1))
        while True:
            # No two messages take the same time.
            yield compute(self.other_ps // 2 + random_below(self.other_ps))
            yield from self.labels.getattr(random_below(self.n_labels))
            yield done()
