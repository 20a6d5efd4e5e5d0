from locksim.lang import *


class Register(Struct):
    value = word()

    def write(self, value):
        yield self.value.store(value)

    def read(self):
        value = yield self.value.load()
        return value


class OwnCopy(Struct):
    copies = perthread(word())

    def write(self, value):
        yield self.copies[thread()].store(value)

    def read(self):
        value = yield self.copies[thread()].load()
        return value
