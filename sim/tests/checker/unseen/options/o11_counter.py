from locksim.lang import *


class Adder(Struct):
    count = word()

    def add(self, amount):
        before = yield self.count.fetch_add(amount, RELAXED)
        return before

    def read(self):
        count = yield self.count.load(RELAXED)
        return count
