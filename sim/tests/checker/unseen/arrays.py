from locksim.lang import *


class Anderson(Lock):
    """One place for each CPU (Anderson 1990)."""

    tail = word()
    may_go = array(8)
    place = percpu(word())

    def setup(self):
        yield self.may_go[0].store(1, RELAXED)

    def acquire(self):
        ticket = yield self.tail.fetch_add(1, RELAXED)
        place = ticket % n_cpus()
        while (yield self.may_go[place].load(ACQUIRE)) == 0:
            yield pause()
        yield self.may_go[place].store(0, RELAXED)
        yield self.place[cpu()].store(place, RELAXED)

    def release(self):
        place = yield self.place[cpu()].load(RELAXED)
        yield self.may_go[(place + 1) % n_cpus()].store(1, RELEASE)


class AndersonTwoPlaces(Lock):
    """Two places, however many threads come."""

    tail = word()
    may_go = array(2)
    place = percpu(word())

    def setup(self):
        yield self.may_go[0].store(1, RELAXED)

    def acquire(self):
        ticket = yield self.tail.fetch_add(1, RELAXED)
        place = ticket % 2
        while (yield self.may_go[place].load(ACQUIRE)) == 0:
            yield pause()
        yield self.may_go[place].store(0, RELAXED)
        yield self.place[cpu()].store(place, RELAXED)

    def release(self):
        place = yield self.place[cpu()].load(RELAXED)
        yield self.may_go[(place + 1) % 2].store(1, RELEASE)


class AndersonLateClear(Lock):
    """Clears its own place after it has let the next one in."""

    tail = word()
    may_go = array(8)
    place = percpu(word())

    def setup(self):
        yield self.may_go[0].store(1, RELAXED)

    def acquire(self):
        ticket = yield self.tail.fetch_add(1, RELAXED)
        place = ticket % n_cpus()
        while (yield self.may_go[place].load(ACQUIRE)) == 0:
            yield pause()
        yield self.place[cpu()].store(place, RELAXED)

    def release(self):
        place = yield self.place[cpu()].load(RELAXED)
        yield self.may_go[(place + 1) % n_cpus()].store(1, RELEASE)
        yield self.may_go[place].store(0, RELAXED)


class GraunkeThakkar(Lock):
    """Graunke and Thakkar, 1990: each CPU flips a bit of its own."""

    tail = word()
    slot = percpu(word(1))

    def acquire(self):
        me = cpu()
        bit = yield self.slot[me].load(RELAXED)
        before = yield self.tail.swap(2 * me + bit, ACQ_REL)
        locked = before % 2
        while (yield self.slot[before // 2].load(ACQUIRE)) == locked:
            yield pause()

    def release(self):
        me = cpu()
        bit = yield self.slot[me].load(RELAXED)
        yield self.slot[me].store(1 - bit, RELEASE)


class GraunkeThakkarRelaxed(Lock):
    """Joins the queue RELAXED: the waiting load acquires anyway."""

    tail = word()
    slot = percpu(word(1))

    def acquire(self):
        me = cpu()
        bit = yield self.slot[me].load(RELAXED)
        before = yield self.tail.swap(2 * me + bit, RELAXED)
        locked = before % 2
        while (yield self.slot[before // 2].load(ACQUIRE)) == locked:
            yield pause()

    def release(self):
        me = cpu()
        bit = yield self.slot[me].load(RELAXED)
        yield self.slot[me].store(1 - bit, RELEASE)
