"""Reader-writer locks: many readers or one writer."""

from locksim.lang import *

__all__ = ["ReadersWriter"]


class ReadersWriter(Struct):
    """``read_acquire()`` waits for the writer, ``write_acquire()`` for everybody.

    A release is for the thread that reads, or writes.
    """

    readers = word()
    writer = word()

    def read_acquire(self):
        while (yield self.writer.load()):
            yield pause()
        before = yield self.readers.fetch_or(1 << thread())
        assert before & (1 << thread()) == 0

    def read_release(self):
        before = yield self.readers.fetch_and(~(1 << thread()))
        assert before & (1 << thread()) != 0

    def write_acquire(self):
        while (yield self.writer.load()) + (yield self.readers.load()):
            yield pause()
        yield self.writer.store(thread() + 1)

    def write_release(self):
        writer = yield self.writer.swap(0)
        assert writer == thread() + 1
