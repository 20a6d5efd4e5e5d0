"""The writer waits until no reader has its flag up, and then frees the old object."""

from locksim.lang import *


class Box(Struct):
    value = word()


class HiddenReader(Workload):
    shared = pointer(Box)
    reading = word()

    def setup(self):
        box = yield alloc(Box)
        yield self.shared.store(box)

    def thread(self):
        if thread() == 0:
            old = yield self.shared.swap(NULL)
            while (yield self.reading.load(ACQUIRE)) != 0:
                yield pause()
            yield free(old)
        else:
            yield self.reading.store(1, RELAXED)
            box = yield self.shared.load(ACQUIRE)
            if box:
                yield box.value.load(RELAXED)
            yield self.reading.store(0, RELEASE)
