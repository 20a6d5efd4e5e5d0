"""Private work, again and again: what two threads of a core cost each other."""

from locksim.lang import *

__all__ = ["OwnSpend"]


class OwnSpend(Workload):
    """One unit of work is one iteration of private work.

    Arguments:
        turn_ps: its time on a CPU by itself.
    """

    turn_ps = param(1000)

    def thread(self):
        while True:
            yield compute(self.turn_ps)
            yield done()
