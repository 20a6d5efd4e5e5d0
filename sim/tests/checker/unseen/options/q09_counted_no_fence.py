from locksim.lang import *


class CountedNoFence(ReadCopyUpdate):
    readers = word()

    def read_lock(self):
        yield self.readers.fetch_add(1)

    def read_unlock(self):
        yield self.readers.fetch_add(-1, RELEASE)

    def quiescent(self):
        yield pause()

    def offline(self):
        yield pause()

    def synchronize_rcu(self):
        yield fence()
        while (yield self.readers.load(ACQUIRE)):
            yield pause()
