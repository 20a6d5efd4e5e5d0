"""A counted object: look that the count is not 0, then take a reference."""

from locksim.lang import *


class Thing(Struct):
    count = word()
    value = word()


class LastReference(Workload):
    shared = pointer(Thing)

    def setup(self):
        thing = yield alloc(Thing)
        yield thing.count.store(1)
        yield self.shared.store(thing)

    def thread(self):
        thing = yield self.shared.load()
        if thread() == 0:
            yield self.shared.store(NULL)
            if (yield thing.count.fetch_add(-1)) == 1:
                yield free(thing)
        elif thing and (yield thing.count.load()) != 0:
            yield thing.count.fetch_add(1)
            if (yield thing.count.fetch_add(-1)) == 1:
                yield free(thing)
