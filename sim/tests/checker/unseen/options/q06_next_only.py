from locksim.lang import *


class NextOnly(ReadCopyUpdate):
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
        other = (cpu() + 1) % n_cpus()
        yield self.gone[cpu()].store(1, RELEASE)
        yield fence()
        passed = yield self.passed[other].load(RELAXED)
        while (yield self.gone[other].load(ACQUIRE)) == 0:
            if (yield self.passed[other].load(ACQUIRE)) != passed:
                break
            yield pause()
        yield self.gone[cpu()].store(0, RELAXED)
        yield fence()
