"""Small workloads that several tests run."""

from locksim.lang import RELAXED, Workload, param, part, word
from locksim.library.locks.tas import TASLock


class Increments(Workload):
    """Counts a word up under the lock, with a load and a store."""

    rounds = param(4)
    lock = part(TASLock)
    count = word()

    def thread(self):
        for _ in range(self.rounds):
            yield from self.lock.acquire()
            count = yield self.count.load(RELAXED)
            yield self.count.store(count + 1, RELAXED)
            yield from self.lock.release()
