"""RCU with grace periods that are too short."""

from locksim.lang import RELAXED, RELEASE, free
from locksim.library.locks.rcu import RCU, RcuHead


class CarelessRCU(RCU):
    """Counts a grace period as ended when it starts."""

    def start(self, number):
        online = yield self.online.load(RELAXED)
        yield self.waiting_for.store(online, RELAXED)
        yield self.current.store(number, RELEASE)
        yield self.completed.store(number, RELEASE)


class ForgetfulRCU(RCU):
    """Waits for the grace period before the one that was asked for."""

    def ask(self):
        yield from self.lock.acquire()
        current = yield self.current.load(RELAXED)
        if (yield self.completed.load(RELAXED)) == current:
            yield from self.start(current + 1)
        else:
            yield self.asked.store(1, RELAXED)
        yield from self.lock.release()
        return current


class HastyRCU(RCU):
    """Frees at once."""

    def call_rcu(self, head: RcuHead):
        yield free(head)
