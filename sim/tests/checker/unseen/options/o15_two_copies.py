from locksim.lang import *


class Register(Struct):
    value = word()

    def write(self, value):
        yield self.value.store(value)

    def read(self):
        value = yield self.value.load()
        return value


class TwoCopies(Struct):
    copies = array(2)

    def write(self, value):
        yield self.copies[0].store(value)
        yield self.copies[1].store(value)

    def read(self):
        value = yield self.copies[thread() & 1].load()
        return value
