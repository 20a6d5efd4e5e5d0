"""Two threads add one to a number, each by a load and a store."""

from locksim.lang import *


class LostUpdate(Workload):
    count = word()
    finished = word()

    def thread(self):
        before = yield self.count.load()
        yield self.count.store(before + 1)
        if (yield self.finished.fetch_add(1)) == 1:
            assert (yield self.count.load()) == 2
