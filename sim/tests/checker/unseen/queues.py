from locksim.lang import *
from locksim.library.locks.clh import CLHLock


class Hemlock(Lock):
    """Dice and Kogan, 2021: one mailbox for each CPU."""

    tail = word()
    grant = percpu(word())

    def acquire(self):
        before = yield self.tail.swap(cpu() + 1, ACQ_REL)
        if before:
            while (yield self.grant[before - 1].load(ACQUIRE)) == 0:
                yield pause()
            yield self.grant[before - 1].store(0, RELEASE)

    def release(self):
        me = cpu()
        if (yield self.tail.compare_swap(me + 1, 0, RELEASE)) != me + 1:
            yield self.grant[me].store(1, RELEASE)
            while (yield self.grant[me].load(ACQUIRE)):
                yield pause()


class HemlockNoWait(Lock):
    """Does not wait until the mailbox is empty again."""

    tail = word()
    grant = percpu(word())

    def acquire(self):
        before = yield self.tail.swap(cpu() + 1, ACQ_REL)
        if before:
            while (yield self.grant[before - 1].load(ACQUIRE)) == 0:
                yield pause()
            yield self.grant[before - 1].store(0, RELEASE)

    def release(self):
        me = cpu()
        if (yield self.tail.compare_swap(me + 1, 0, RELEASE)) != me + 1:
            yield self.grant[me].store(1, RELEASE)


class HemlockLoadStore(Lock):
    """Looks at the tail and then clears it, in two steps."""

    tail = word()
    grant = percpu(word())

    def acquire(self):
        before = yield self.tail.swap(cpu() + 1, ACQ_REL)
        if before:
            while (yield self.grant[before - 1].load(ACQUIRE)) == 0:
                yield pause()
            yield self.grant[before - 1].store(0, RELEASE)

    def release(self):
        me = cpu()
        if (yield self.tail.load(ACQUIRE)) == me + 1:
            yield self.tail.store(0, RELEASE)
        else:
            yield self.grant[me].store(1, RELEASE)
            while (yield self.grant[me].load(ACQUIRE)):
                yield pause()


class Place(Struct):
    """A waiter, or the holder."""

    after = pointer("Place")
    waiting = word()


class K42(Lock):
    """MCS as in K42: the holder's place is the lock's own."""

    tail = pointer(Place)
    holder = part(Place)
    places = percpu(Place)

    def acquire(self):
        mine = self.places[cpu()]
        while True:
            before = yield self.tail.load(ACQUIRE)
            if not before:
                if (yield self.tail.compare_swap(NULL, self.holder, ACQ_REL)) == NULL:
                    return
            else:
                yield mine.after.store(NULL, RELAXED)
                yield mine.waiting.store(1, RELAXED)
                if (yield self.tail.compare_swap(before, mine, ACQ_REL)) == before:
                    yield before.after.store(mine, RELEASE)
                    while (yield mine.waiting.load(ACQUIRE)):
                        yield pause()
                    yield from self.become_holder(mine)
                    return
            yield pause()

    def become_holder(self, mine: Place):
        after = yield mine.after.load(ACQUIRE)
        if not after:
            yield self.holder.after.store(NULL, RELAXED)
            if (yield self.tail.compare_swap(mine, self.holder, ACQ_REL)) == mine:
                return
            after = yield mine.after.load(ACQUIRE)
            while not after:
                yield pause()
                after = yield mine.after.load(ACQUIRE)
        yield self.holder.after.store(after, RELAXED)

    def release(self):
        after = yield self.holder.after.load(ACQUIRE)
        if not after:
            if (yield self.tail.compare_swap(self.holder, NULL, RELEASE)) == self.holder:
                return
            after = yield self.holder.after.load(ACQUIRE)
            while not after:
                yield pause()
                after = yield self.holder.after.load(ACQUIRE)
        yield after.waiting.store(0, RELEASE)


class CLHTry(CLHLock):
    """Tries by looking at the last node and swinging the tail."""

    def try_acquire(self):
        last = yield self.tail.load(ACQUIRE)
        if (yield last.locked.load(ACQUIRE)) != 0:
            return 0
        node = yield self.mine[cpu()].load(RELAXED)
        yield node.locked.store(1, RELAXED)
        old = yield self.tail.compare_swap(last, node, ACQ_REL)
        if old != last:
            return 0
        yield self.before[cpu()].store(last, RELAXED)
        return 1


class Cohort(Lock):
    """Two clusters with a ticket lock each, below one for all; the latter is passed on inside."""

    tickets = word()
    serving = word()
    local_tickets = array(2)
    local_serving = array(2)
    owned = array(2)

    def acquire(self):
        c = cpu() % 2
        ticket = yield self.local_tickets[c].fetch_add(1, RELAXED)
        while (yield self.local_serving[c].load(ACQUIRE)) != ticket:
            yield pause()
        if (yield self.owned[c].load(RELAXED)) == 0:
            number = yield self.tickets.fetch_add(1, RELAXED)
            while (yield self.serving.load(ACQUIRE)) != number:
                yield pause()
            yield self.owned[c].store(1, RELAXED)

    def release(self):
        c = cpu() % 2
        mine = yield self.local_serving[c].load(RELAXED)
        last = yield self.local_tickets[c].load(RELAXED)
        passed = yield self.owned[c].load(RELAXED)
        if last - mine > 1 and passed < 3:
            yield self.owned[c].store(passed + 1, RELAXED)
        else:
            yield self.owned[c].store(0, RELAXED)
            number = yield self.serving.load(RELAXED)
            yield self.serving.store(number + 1, RELEASE)
        yield self.local_serving[c].store(mine + 1, RELEASE)


class CohortWrongOrder(Lock):
    """Opens the cluster before it has given up the lock of all."""

    tickets = word()
    serving = word()
    local_tickets = array(2)
    local_serving = array(2)
    owned = array(2)

    def acquire(self):
        c = cpu() % 2
        ticket = yield self.local_tickets[c].fetch_add(1, RELAXED)
        while (yield self.local_serving[c].load(ACQUIRE)) != ticket:
            yield pause()
        if (yield self.owned[c].load(RELAXED)) == 0:
            number = yield self.tickets.fetch_add(1, RELAXED)
            while (yield self.serving.load(ACQUIRE)) != number:
                yield pause()
            yield self.owned[c].store(1, RELAXED)

    def release(self):
        c = cpu() % 2
        mine = yield self.local_serving[c].load(RELAXED)
        last = yield self.local_tickets[c].load(RELAXED)
        yield self.local_serving[c].store(mine + 1, RELEASE)
        if last - mine == 1:
            yield self.owned[c].store(0, RELAXED)
            number = yield self.serving.load(RELAXED)
            yield self.serving.store(number + 1, RELEASE)
