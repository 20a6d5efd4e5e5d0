from locksim.lang import *


class FlagNotCount(ReadCopyUpdate):
    reading = percpu(word())

    def read_lock(self):
        yield self.reading[cpu()].store(1)
        yield fence()

    def read_unlock(self):
        yield self.reading[cpu()].store(0, RELEASE)

    def quiescent(self):
        yield pause()

    def offline(self):
        yield pause()

    def synchronize_rcu(self):
        yield fence()
        for i in range(n_cpus()):
            while (yield self.reading[i].load(ACQUIRE)):
                yield pause()
