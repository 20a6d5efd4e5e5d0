from locksim.lang import *


class IgnoresReaders(RWLock):
    writer = word()
    readers = word()

    def read_acquire(self):
        yield self.readers.fetch_add(1, ACQUIRE)
        while (yield self.writer.load(ACQUIRE)):
            yield pause()

    def read_release(self):
        yield self.readers.fetch_add(-1, RELEASE)

    def write_acquire(self):
        while (yield self.writer.swap(1, ACQUIRE)):
            yield pause()

    def write_release(self):
        yield self.writer.store(0, RELEASE)
