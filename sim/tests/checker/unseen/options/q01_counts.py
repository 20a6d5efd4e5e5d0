from locksim.lang import *


class Counts(ReadCopyUpdate):
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
        # While it waits, this CPU counts as gone: it is in no reader.
        yield self.gone[cpu()].store(1, RELEASE)
        yield fence()
        for i in range(n_cpus()):
            passed = yield self.passed[i].load(RELAXED)
            while (yield self.gone[i].load(ACQUIRE)) == 0:
                if (yield self.passed[i].load(ACQUIRE)) != passed:
                    break
                yield pause()
        yield self.gone[cpu()].store(0, RELAXED)
        yield fence()
