from locksim.lang import *


class Ring(Struct):
    items = array(8)
    put = word()
    taken = word()

    def enqueue(self, value):
        put = yield self.put.load(RELAXED)
        yield self.items[put & 7].store(value, RELAXED)
        yield self.put.store(put + 1, RELEASE)

    def dequeue(self):
        taken = yield self.taken.load(RELAXED)
        if (yield self.put.load(ACQUIRE)) == taken:
            return 0
        value = yield self.items[taken & 7].load(RELAXED)
        yield self.taken.store(taken + 1, RELEASE)
        return value
