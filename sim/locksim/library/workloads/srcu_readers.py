"""As ``rcu_readers`` with sleepable RCU: readers count themselves in and out.

No CPU announces quiescent states. A reader's ``hold_ps`` may be taken for the time that it sleeps;
sleepers whose CPU runs others meanwhile need a scheduler and are another load.
"""

from locksim.lang import *
from locksim.library.locks.srcu import SRCU
from locksim.library.workloads.rcu_readers import RcuReaders

__all__ = ["SrcuReaders"]


class SrcuReaders(RcuReaders):
    """One pointer under sleepable RCU, many CPUs. Arguments: those of ``RcuReaders``."""

    lock = part(SRCU, padded=True)

    def between(self):
        yield fence(RELEASE)

    def read(self):
        rank = yield from self.lock.read_lock()
        yield from self.look()
        yield from self.lock.read_unlock(rank)

    def grace_period(self):
        yield from self.lock.synchronize_srcu()
