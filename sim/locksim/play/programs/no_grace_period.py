"""A reader follows a pointer. The writer replaces the object, and frees the old one at once."""

from locksim.lang import *


class Box(Struct):
    value = word()


class NoGracePeriod(Workload):
    shared = pointer(Box)

    def setup(self):
        box = yield alloc(Box)
        yield self.shared.store(box)

    def thread(self):
        if thread() == 0:
            new = yield alloc(Box)
            yield new.value.store(1)
            old = yield self.shared.swap(new)
            yield free(old)
        else:
            box = yield self.shared.load()
            yield box.value.load()
