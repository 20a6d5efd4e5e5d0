from locksim.lang import *


class IriwAcquire(Workload):
    x = word()
    y = word()
    a0 = word()
    a1 = word()
    b0 = word()
    b1 = word()

    def thread(self):
        me = thread()
        if me == 0:
            yield self.x.store(1, RELEASE)
        elif me == 1:
            yield self.y.store(1, RELEASE)
        elif me == 2:
            a0 = yield self.x.load(ACQUIRE)
            a1 = yield self.y.load(ACQUIRE)
            yield self.a0.store(a0, RELAXED)
            yield self.a1.store(a1, RELAXED)
        else:
            b1 = yield self.y.load(ACQUIRE)
            b0 = yield self.x.load(ACQUIRE)
            yield self.b1.store(b1, RELAXED)
            yield self.b0.store(b0, RELAXED)
