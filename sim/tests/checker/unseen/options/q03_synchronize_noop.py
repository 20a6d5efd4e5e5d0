from locksim.lang import *


class NoWait(ReadCopyUpdate):
    passed = percpu(word())
    gone = percpu(word())

    def read_lock(self):
        yield fence(ACQUIRE)

    def read_unlock(self):
        yield fence(RELEASE)

    def quiescent(self):
        passed = yield self.passed[cpu()].load(RELAXED)
        yield self.passed[cpu()].store(passed + 1, RELEASE)
        yield fence()

    def offline(self):
        yield self.gone[cpu()].store(1, RELEASE)

    def synchronize_rcu(self):
        yield fence()
