"""A queue: what was put in first comes out first."""

from locksim.lang import *

__all__ = ["FIFO"]

ROOM = 16


class FIFO(Struct):
    """``enqueue(value)``; ``dequeue()`` gives the oldest value, 0 if there is none."""

    items = array(ROOM)
    taken = word()
    put = word()

    def enqueue(self, value):
        put = yield self.put.load()
        yield self.items[put].store(value)
        yield self.put.store(put + 1)

    def dequeue(self):
        value = 0
        taken = yield self.taken.load()
        if taken < (yield self.put.load()):
            value = yield self.items[taken].load()
            yield self.taken.store(taken + 1)
        return value
