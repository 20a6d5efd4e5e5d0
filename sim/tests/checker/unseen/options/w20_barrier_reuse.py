from locksim.lang import *


class Barrier(Struct):
    count = word()

    def arrive(self):
        if (yield self.count.fetch_add(1)) == n_threads() - 1:
            yield self.count.store(0)
        else:
            while (yield self.count.load()):
                yield pause()


class BarrierReuse(Workload):
    barrier = part(Barrier)

    def thread(self):
        for i in range(2):
            yield from self.barrier.arrive()
