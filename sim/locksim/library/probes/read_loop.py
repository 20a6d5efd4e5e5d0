"""Optimistic readers of a sequence lock, and the time of the loop round them.

A reader's section is some loads that hit. They cost so little that the loop of the native harness
takes longer: counting, drawing the next section. Its kernel ``none`` reads that time. A section
with an atomic instruction hides it, since a core goes on behind one: an exchange alone and the
whole loop of ``tas`` on one CPU read the same time.
"""

from locksim.lang import *
from locksim.library.workloads.sequence_readers import SequenceReaders

__all__ = ["ReadLoop"]


class ReadLoop(SequenceReaders):
    """One sequence lock, many CPUs; the settings are those of ``ReadersWriters``.

    Arguments:
        loop_ps: work of the loop round a reader's section, in picoseconds.
    """

    loop_ps = param(0)

    def section(self):
        if random_below(100) < self.read_percent:
            yield from self.read()
            if self.loop_ps:
                yield compute(self.loop_ps)
        else:
            yield from self.write()
