from locksim.lang import *


class LazySet(Struct):
    there = array(4)

    def add(self, key):
        if (yield self.there[key].load()):
            return 0
        yield self.there[key].store(1)
        return 1

    def remove(self, key):
        before = yield self.there[key].swap(0)
        return before

    def contains(self, key):
        there = yield self.there[key].load()
        return there
