from locksim.lang import *


class Sleeper(Lock):
    """Waiters sleep: announce, look again, sleep."""

    held = word()
    sleeping = percpu(word())

    def acquire(self):
        me = cpu()
        while (yield self.held.swap(1, ACQUIRE)):
            yield self.sleeping[me].store(1, SEQ_CST)
            if (yield self.held.load(SEQ_CST)):
                yield block()
            yield self.sleeping[me].store(0, SEQ_CST)

    def release(self):
        yield self.held.store(0, SEQ_CST)
        for i in range(n_cpus()):
            if (yield self.sleeping[i].load(SEQ_CST)):
                yield wake(i)


class SleeperNoLook(Lock):
    """Does not look again before it sleeps."""

    held = word()
    sleeping = percpu(word())

    def acquire(self):
        me = cpu()
        while (yield self.held.swap(1, ACQUIRE)):
            yield self.sleeping[me].store(1, SEQ_CST)
            yield block()
            yield self.sleeping[me].store(0, SEQ_CST)

    def release(self):
        yield self.held.store(0, SEQ_CST)
        for i in range(n_cpus()):
            if (yield self.sleeping[i].load(SEQ_CST)):
                yield wake(i)


class SleeperReleaseStore(Lock):
    """Opens the lock by a RELEASE store, before it looks for sleepers."""

    held = word()
    sleeping = percpu(word())

    def acquire(self):
        me = cpu()
        while (yield self.held.swap(1, ACQUIRE)):
            yield self.sleeping[me].store(1, SEQ_CST)
            if (yield self.held.load(SEQ_CST)):
                yield block()
            yield self.sleeping[me].store(0, SEQ_CST)

    def release(self):
        yield self.held.store(0, RELEASE)
        for i in range(n_cpus()):
            if (yield self.sleeping[i].load(SEQ_CST)):
                yield wake(i)


class SleeperWakesOne(Lock):
    """Wakes the first sleeper that it finds, and no other."""

    held = word()
    sleeping = percpu(word())

    def acquire(self):
        me = cpu()
        while (yield self.held.swap(1, ACQUIRE)):
            yield self.sleeping[me].store(1, SEQ_CST)
            if (yield self.held.load(SEQ_CST)):
                yield block()
            yield self.sleeping[me].store(0, SEQ_CST)

    def release(self):
        yield self.held.store(0, SEQ_CST)
        for i in range(n_cpus()):
            if (yield self.sleeping[i].load(SEQ_CST)):
                yield wake(i)
                return


class SleeperTurn(Lock):
    """A ticket lock whose waiters sleep; release() wakes the CPU that is next."""

    tickets = word()
    serving = word()
    who = array(4)

    def acquire(self):
        ticket = yield self.tickets.fetch_add(1, RELAXED)
        yield self.who[ticket % 4].store(cpu() + 1, SEQ_CST)
        while (yield self.serving.load(SEQ_CST)) != ticket:
            yield block()

    def release(self):
        me = yield self.serving.load(RELAXED)
        yield self.who[me % 4].store(0, SEQ_CST)
        yield self.serving.store(me + 1, SEQ_CST)
        sleeper = yield self.who[(me + 1) % 4].load(SEQ_CST)
        if sleeper:
            yield wake(sleeper - 1)
