from locksim.lang import *


class OneBit(Lock):
    """Burns and Lynch, 1980. SEQ_CST stores, ACQUIRE loads."""

    bit = percpu(word())

    def acquire(self):
        me = cpu()
        while True:
            yield self.bit[me].store(1, SEQ_CST)
            again = 0
            for j in range(me):
                if again == 0:
                    if (yield self.bit[j].load(ACQUIRE)):
                        yield self.bit[me].store(0, RELEASE)
                        while (yield self.bit[j].load(ACQUIRE)):
                            yield pause()
                        again = 1
            if again == 0:
                break
        for j in range(me + 1, n_cpus()):
            while (yield self.bit[j].load(ACQUIRE)):
                yield pause()

    def release(self):
        yield self.bit[cpu()].store(0, RELEASE)


class OneBitSC(Lock):
    """The loads are SEQ_CST too."""

    bit = percpu(word())

    def acquire(self):
        me = cpu()
        while True:
            yield self.bit[me].store(1, SEQ_CST)
            again = 0
            for j in range(me):
                if again == 0:
                    if (yield self.bit[j].load(SEQ_CST)):
                        yield self.bit[me].store(0, RELEASE)
                        while (yield self.bit[j].load(SEQ_CST)):
                            yield pause()
                        again = 1
            if again == 0:
                break
        for j in range(me + 1, n_cpus()):
            while (yield self.bit[j].load(SEQ_CST)):
                yield pause()

    def release(self):
        yield self.bit[cpu()].store(0, RELEASE)


class OneBitRelaxedWithdrawal(Lock):
    """As OneBitSC; who withdraws has been in no section since, so it withdraws RELAXED."""

    bit = percpu(word())

    def acquire(self):
        me = cpu()
        while True:
            yield self.bit[me].store(1, SEQ_CST)
            again = 0
            for j in range(me):
                if again == 0:
                    if (yield self.bit[j].load(SEQ_CST)):
                        yield self.bit[me].store(0, RELAXED)
                        while (yield self.bit[j].load(SEQ_CST)):
                            yield pause()
                        again = 1
            if again == 0:
                break
        for j in range(me + 1, n_cpus()):
            while (yield self.bit[j].load(SEQ_CST)):
                yield pause()

    def release(self):
        yield self.bit[cpu()].store(0, RELEASE)


class Polite(Lock):
    """Both withdraw when they meet."""

    flag = array(2)

    def acquire(self):
        me = cpu()
        while True:
            yield self.flag[me].store(1, SEQ_CST)
            if (yield self.flag[1 - me].load(SEQ_CST)) == 0:
                break
            yield self.flag[me].store(0, SEQ_CST)
            yield pause()

    def release(self):
        yield self.flag[cpu()].store(0, RELEASE)
