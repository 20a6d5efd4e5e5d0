from locksim.lang import *


class AdderTwoSteps(Struct):
    count = word()

    def add(self, amount):
        before = yield self.count.load()
        yield self.count.store(before + amount)
        return before

    def read(self):
        count = yield self.count.load()
        return count
