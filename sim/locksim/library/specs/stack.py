"""A stack: what was put in last comes out first."""

from locksim.lang import *

__all__ = ["LIFO"]

ROOM = 16


class LIFO(Struct):
    """``push(value)``; ``pop()`` gives the youngest value, 0 if there is none."""

    items = array(ROOM)
    depth = word()

    def push(self, value):
        depth = yield self.depth.load()
        yield self.items[depth].store(value)
        yield self.depth.store(depth + 1)

    def pop(self):
        value = 0
        depth = yield self.depth.load()
        if depth > 0:
            value = yield self.items[depth - 1].load()
            yield self.items[depth - 1].store(0)
            yield self.depth.store(depth - 1)
        return value
