from locksim.lang import *


class Sum(Struct):
    total = word()

    def add(self, amount):
        yield self.total.fetch_add(amount)

    def read(self):
        total = yield self.total.load()
        return total


class Split(Struct):
    counts = perthread(word())

    def add(self, amount):
        yield self.counts[thread()].fetch_add(amount)

    def read(self):
        total = 0
        for i in range(n_threads()):
            count = yield self.counts[i].load()
            total += count
        return total
