from locksim.lang import *


class FastMutex(Lock):
    """Lamport, A Fast Mutual Exclusion Algorithm, 1987."""

    b = percpu(word())
    x = word()
    y = word()

    def acquire(self):
        me = cpu()
        i = me + 1
        while True:
            yield self.b[me].store(1, SEQ_CST)
            yield self.x.store(i, SEQ_CST)
            if (yield self.y.load(SEQ_CST)) != 0:
                yield self.b[me].store(0, SEQ_CST)
                while (yield self.y.load(SEQ_CST)) != 0:
                    yield pause()
            else:
                yield self.y.store(i, SEQ_CST)
                if (yield self.x.load(SEQ_CST)) == i:
                    return
                yield self.b[me].store(0, SEQ_CST)
                for j in range(n_cpus()):
                    while (yield self.b[j].load(SEQ_CST)):
                        yield pause()
                if (yield self.y.load(SEQ_CST)) == i:
                    return
                while (yield self.y.load(SEQ_CST)) != 0:
                    yield pause()

    def release(self):
        yield self.y.store(0, SEQ_CST)
        yield self.b[cpu()].store(0, SEQ_CST)


class FastMutexNoWait(Lock):
    """On the slow path it does not wait for the others' marks."""

    b = percpu(word())
    x = word()
    y = word()

    def acquire(self):
        me = cpu()
        i = me + 1
        while True:
            yield self.b[me].store(1, SEQ_CST)
            yield self.x.store(i, SEQ_CST)
            if (yield self.y.load(SEQ_CST)) != 0:
                yield self.b[me].store(0, SEQ_CST)
                while (yield self.y.load(SEQ_CST)) != 0:
                    yield pause()
            else:
                yield self.y.store(i, SEQ_CST)
                if (yield self.x.load(SEQ_CST)) == i:
                    return
                yield self.b[me].store(0, SEQ_CST)
                yield pause()
                if (yield self.y.load(SEQ_CST)) == i:
                    return
                while (yield self.y.load(SEQ_CST)) != 0:
                    yield pause()

    def release(self):
        yield self.y.store(0, SEQ_CST)
        yield self.b[cpu()].store(0, SEQ_CST)


class Bakery(Lock):
    """Lamport, 1974."""

    choosing = percpu(word())
    number = percpu(word())

    def acquire(self):
        me = cpu()
        yield self.choosing[me].store(1, SEQ_CST)
        mine = 0
        for j in range(n_cpus()):
            theirs = yield self.number[j].load(ACQUIRE)
            if theirs > mine:
                mine = theirs
        mine = mine + 1
        yield self.number[me].store(mine, SEQ_CST)
        yield self.choosing[me].store(0, RELEASE)
        for j in range(n_cpus()):
            while (yield self.choosing[j].load(ACQUIRE)):
                yield pause()
            while True:
                theirs = yield self.number[j].load(ACQUIRE)
                if theirs == 0 or theirs > mine:
                    break
                if theirs == mine and j >= me:
                    break
                yield pause()

    def release(self):
        yield self.number[cpu()].store(0, RELEASE)


class BakeryNoChoosing(Lock):
    """Nobody waits while another still chooses."""

    number = percpu(word())

    def acquire(self):
        me = cpu()
        mine = 0
        for j in range(n_cpus()):
            theirs = yield self.number[j].load(ACQUIRE)
            if theirs > mine:
                mine = theirs
        mine = mine + 1
        yield self.number[me].store(mine, SEQ_CST)
        for j in range(n_cpus()):
            while True:
                theirs = yield self.number[j].load(ACQUIRE)
                if theirs == 0 or theirs > mine:
                    break
                if theirs == mine and j >= me:
                    break
                yield pause()

    def release(self):
        yield self.number[cpu()].store(0, RELEASE)
