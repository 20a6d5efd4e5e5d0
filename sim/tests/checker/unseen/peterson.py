from locksim.lang import *


class PetersonFence(Lock):
    """Both announcements RELAXED, then one full fence."""

    flag = array(2)
    turn = word()

    def acquire(self):
        me = cpu()
        other = 1 - me
        yield self.flag[me].store(1, RELAXED)
        yield self.turn.store(other, RELAXED)
        yield fence()
        while (yield self.flag[other].load(ACQUIRE)) and (yield self.turn.load(ACQUIRE)) == other:
            yield pause()

    def release(self):
        yield self.flag[cpu()].store(0, RELEASE)


class PetersonSwap(Lock):
    """No fence: the turn is exchanged."""

    flag = array(2)
    turn = word()

    def acquire(self):
        me = cpu()
        other = 1 - me
        yield self.flag[me].store(1, RELAXED)
        yield self.turn.swap(other, ACQ_REL)
        while (yield self.flag[other].load(ACQUIRE)) and (yield self.turn.load(ACQUIRE)) == other:
            yield pause()

    def release(self):
        yield self.flag[cpu()].store(0, RELEASE)


class PetersonSwapRelaxed(Lock):
    """As PetersonSwap, but the turn is read RELAXED while waiting."""

    flag = array(2)
    turn = word()

    def acquire(self):
        me = cpu()
        other = 1 - me
        yield self.flag[me].store(1, RELAXED)
        yield self.turn.swap(other, ACQ_REL)
        while (yield self.flag[other].load(ACQUIRE)) and (yield self.turn.load(RELAXED)) == other:
            yield pause()

    def release(self):
        yield self.flag[cpu()].store(0, RELEASE)


class PetersonTurnFirst(Lock):
    """Gives the turn away before it raises the flag."""

    flag = array(2)
    turn = word()

    def acquire(self):
        me = cpu()
        other = 1 - me
        yield self.turn.store(other, SEQ_CST)
        yield self.flag[me].store(1, SEQ_CST)
        while (yield self.flag[other].load(SEQ_CST)) and (yield self.turn.load(SEQ_CST)) == other:
            yield pause()

    def release(self):
        yield self.flag[cpu()].store(0, RELEASE)


class Filter(Lock):
    """Peterson for many: one victim on each level."""

    level = percpu(word())
    victim = array(8)

    def acquire(self):
        me = cpu()
        for height in range(1, n_cpus()):
            yield self.level[me].store(height, SEQ_CST)
            yield self.victim[height].store(me, SEQ_CST)
            for k in range(n_cpus()):
                if k != me:
                    while True:
                        if (yield self.level[k].load(ACQUIRE)) < height:
                            break
                        if (yield self.victim[height].load(ACQUIRE)) != me:
                            break
                        yield pause()

    def release(self):
        yield self.level[cpu()].store(0, RELEASE)


class Hyman(Lock):
    """Hyman, CACM 1966."""

    flag = array(2)
    turn = word()

    def acquire(self):
        me = cpu()
        other = 1 - me
        yield self.flag[me].store(1, SEQ_CST)
        while (yield self.turn.load(SEQ_CST)) != me:
            while (yield self.flag[other].load(SEQ_CST)):
                yield pause()
            yield self.turn.store(me, SEQ_CST)

    def release(self):
        yield self.flag[cpu()].store(0, SEQ_CST)
