"""A reader-writer lock: each side looks at the other and then announces itself."""

from locksim.lang import *


class ReaderWriter(RWLock):
    readers = word()
    writer = word()

    def read_acquire(self):
        while (yield self.writer.load()) != 0:
            yield pause()
        yield self.readers.fetch_add(1)

    def read_release(self):
        yield self.readers.fetch_add(-1)

    def write_acquire(self):
        while (yield self.writer.swap(1)) != 0:
            yield pause()
        while (yield self.readers.load()) != 0:
            yield pause()

    def write_release(self):
        yield self.writer.store(0)
