"""An MCS lock whose release takes the queue for empty because no successor is linked in yet."""

from locksim.lang import *
from locksim.library.locks.mcs import MCSLock


class ForgetfulMCS(MCSLock):
    def release(self):
        mine = self.nodes[cpu()]
        after = yield mine.next.load(ACQUIRE)
        if after:
            yield after.locked.store(0, RELEASE)
        else:
            yield self.tail.store(NULL, RELEASE)
