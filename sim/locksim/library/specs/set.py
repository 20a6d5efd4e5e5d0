"""A set of small numbers."""

from locksim.lang import *

__all__ = ["Set"]

KEYS = 16


class Set(Struct):
    """``add(key)`` and ``remove(key)`` give 1 if that changed the set, ``contains(key)`` 1 or 0."""

    there = array(KEYS)

    def add(self, key):
        before = yield self.there[key].swap(1)
        return 1 - before

    def remove(self, key):
        before = yield self.there[key].swap(0)
        return before

    def contains(self, key):
        there = yield self.there[key].load()
        return there
