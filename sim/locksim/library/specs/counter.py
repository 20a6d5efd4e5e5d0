"""A counter."""

from locksim.lang import *

__all__ = ["Counter"]


class Counter(Struct):
    """``add(amount)`` gives the count before, ``read()`` the count."""

    count = word()

    def add(self, amount):
        before = yield self.count.fetch_add(amount)
        return before

    def read(self):
        count = yield self.count.load()
        return count
