from locksim.lang import *


class Barrier(Struct):
    count = word()
    phase = word()

    def arrive(self):
        phase = yield self.phase.load(RELAXED)
        if (yield self.count.fetch_add(1, ACQ_REL)) == n_threads() - 1:
            yield self.count.store(0, RELAXED)
            yield self.phase.store(phase + 1, RELEASE)
        else:
            while (yield self.phase.load(ACQUIRE)) == phase:
                yield pause()


class BarrierSense(Workload):
    barrier = part(Barrier)
    data = word(plain=True)

    def thread(self):
        if thread() == 0:
            yield self.data.store(3)
        yield from self.barrier.arrive()
        assert (yield self.data.load()) == 3
        yield from self.barrier.arrive()
        if thread() == 1:
            yield self.data.store(4)
