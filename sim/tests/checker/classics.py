"""Mutual exclusion of two threads with loads and stores only: right or wrong, by memory model."""

from locksim.lang import (
    ACQUIRE,
    RELAXED,
    RELEASE,
    SEQ_CST,
    Lock,
    array,
    fence,
    n_cpus,
    param,
    pause,
    thread,
    word,
)


class Peterson(Lock):
    """Peterson's algorithm (IPL 12(3), 1981) with RELAXED accesses: right under SC only."""

    wants = array(2, word())
    turn = word()

    def acquire(self):
        me = thread()
        yield self.wants[me].store(1, RELAXED)
        yield self.turn.store(1 - me, RELAXED)
        while (yield self.wants[1 - me].load(RELAXED)):
            if (yield self.turn.load(RELAXED)) == me:
                return
            yield pause()

    def release(self):
        yield self.wants[thread()].store(0, RELAXED)


class PetersonFence(Peterson):
    """Peterson with one full fence between the stores and the loads."""

    def acquire(self):
        me = thread()
        yield self.wants[me].store(1, RELAXED)
        yield self.turn.store(1 - me, RELAXED)
        yield fence(SEQ_CST)
        while (yield self.wants[1 - me].load(RELAXED)):
            if (yield self.turn.load(RELAXED)) == me:
                return
            yield pause()


class PetersonSeqCst(Peterson):
    """Peterson whose last store before the loads is SEQ_CST: it drains the buffer."""

    def acquire(self):
        me = thread()
        yield self.wants[me].store(1, RELAXED)
        yield self.turn.store(1 - me, SEQ_CST)
        while (yield self.wants[1 - me].load(RELAXED)):
            if (yield self.turn.load(RELAXED)) == me:
                return
            yield pause()


class Dekker(Lock):
    """Dekker's algorithm (Dijkstra, EWD 123, 1965) with RELAXED accesses: right under SC only."""

    wants = array(2, word())
    turn = word()

    def acquire(self):
        me = thread()
        yield self.wants[me].store(1, RELAXED)
        while (yield self.wants[1 - me].load(RELAXED)):
            if (yield self.turn.load(RELAXED)) != me:
                yield self.wants[me].store(0, RELAXED)
                while (yield self.turn.load(RELAXED)) != me:
                    yield pause()
                yield self.wants[me].store(1, RELAXED)

    def release(self):
        yield self.turn.store(1 - thread(), RELAXED)
        yield self.wants[thread()].store(0, RELAXED)


class DekkerFence(Dekker):
    """Dekker with a full fence after each announcement."""

    def acquire(self):
        me = thread()
        yield self.wants[me].store(1, RELAXED)
        yield fence(SEQ_CST)
        while (yield self.wants[1 - me].load(RELAXED)):
            if (yield self.turn.load(RELAXED)) != me:
                yield self.wants[me].store(0, RELAXED)
                while (yield self.turn.load(RELAXED)) != me:
                    yield pause()
                yield self.wants[me].store(1, RELAXED)
                yield fence(SEQ_CST)


class DekkerSeqCst(Dekker):
    """Dekker whose announcements are SEQ_CST stores."""

    def acquire(self):
        me = thread()
        yield self.wants[me].store(1, SEQ_CST)
        while (yield self.wants[1 - me].load(RELAXED)):
            if (yield self.turn.load(RELAXED)) != me:
                yield self.wants[me].store(0, RELAXED)
                while (yield self.turn.load(RELAXED)) != me:
                    yield pause()
                yield self.wants[me].store(1, SEQ_CST)


class PetersonC11(Lock):
    """Peterson for any machine: release and acquire, and full fences (or none, to break it).

    One fence is not enough. Without the first, the store to ``turn`` may become visible before that
    to ``wants``, and lose against the other's while ``wants`` is not seen yet.

    Arguments:
        fenced: 0 leaves the fences out.
    """

    fenced = param(1)
    wants = array(2, word())
    turn = word()

    def acquire(self):
        me = thread()
        yield self.wants[me].store(1, RELAXED)
        if self.fenced:
            yield fence(SEQ_CST)
        yield self.turn.store(1 - me, RELAXED)
        if self.fenced:
            yield fence(SEQ_CST)
        while (yield self.wants[1 - me].load(ACQUIRE)):
            if (yield self.turn.load(ACQUIRE)) == me:
                return
            yield pause()

    def release(self):
        yield self.wants[thread()].store(0, RELEASE)


class PetersonAllSeqCst(Peterson):
    """Peterson as a careful beginner writes it: every access SEQ_CST."""

    def acquire(self):
        me = thread()
        yield self.wants[me].store(1)
        yield self.turn.store(1 - me)
        while (yield self.wants[1 - me].load()):
            if (yield self.turn.load()) == me:
                return
            yield pause()

    def release(self):
        yield self.wants[thread()].store(0)


class DekkerC11(Lock):
    """Dekker for any machine: release and acquire, and full fences (or none, to break it).

    Arguments:
        fenced: 0 leaves the fences out.
    """

    fenced = param(1)
    wants = array(2, word())
    turn = word()

    def acquire(self):
        me = thread()
        yield self.wants[me].store(1, RELAXED)
        if self.fenced:
            yield fence(SEQ_CST)
        while (yield self.wants[1 - me].load(ACQUIRE)):
            if (yield self.turn.load(ACQUIRE)) != me:
                yield self.wants[me].store(0, RELAXED)
                while (yield self.turn.load(ACQUIRE)) != me:
                    yield pause()
                yield self.wants[me].store(1, RELAXED)
                if self.fenced:
                    yield fence(SEQ_CST)

    def release(self):
        yield self.turn.store(1 - thread(), RELEASE)
        yield self.wants[thread()].store(0, RELEASE)


class Bakery(Lock):
    """Lamport's bakery (CACM 17(8), 1974): numbers that are not drawn by an atomic operation.

    Arguments:
        fenced: 0 leaves the full fences out.
    """

    fenced = param(1)
    choosing = array(3, word())
    number = array(3, word())

    def acquire(self):
        me = thread()
        yield self.choosing[me].store(1, RELAXED)
        if self.fenced:
            yield fence(SEQ_CST)
        mine = 0
        for i in range(n_cpus()):
            number = yield self.number[i].load(RELAXED)
            if number > mine:
                mine = number
        mine = mine + 1
        yield self.number[me].store(mine, RELAXED)
        yield self.choosing[me].store(0, RELEASE)
        if self.fenced:
            yield fence(SEQ_CST)
        for i in range(n_cpus()):
            while (yield self.choosing[i].load(ACQUIRE)):
                yield pause()
            other = yield self.number[i].load(ACQUIRE)
            while other != 0 and (other < mine or (other == mine and i < me)):
                yield pause()
                other = yield self.number[i].load(ACQUIRE)

    def release(self):
        yield self.number[thread()].store(0, RELEASE)


class Szymanski(Lock):
    """Szymanski's algorithm (ICS 1988): a waiting room whose door closes behind a batch.

    Flags: 0 elsewhere, 1 wants in, 2 waits inside, 3 in the doorway, 4 the door is closed.

    Arguments:
        fenced: 0 leaves the full fences out.
    """

    fenced = param(1)
    flag = array(3, word())

    def acquire(self):
        me = thread()
        yield from self.announce(me, 1)
        for i in range(n_cpus()):
            while (yield self.flag[i].load(ACQUIRE)) >= 3:
                yield pause()
        yield from self.announce(me, 3)
        waits = 0
        for i in range(n_cpus()):
            if (yield self.flag[i].load(ACQUIRE)) == 1:
                waits = 1
        if waits:
            yield from self.announce(me, 2)
            closed = 0
            while not closed:
                yield pause()
                for i in range(n_cpus()):
                    if (yield self.flag[i].load(ACQUIRE)) == 4:
                        closed = 1
        yield from self.announce(me, 4)
        for i in range(me):
            while (yield self.flag[i].load(ACQUIRE)) >= 2:
                yield pause()

    def announce(self, me, value):
        yield self.flag[me].store(value, RELEASE)
        if self.fenced:
            yield fence(SEQ_CST)

    def release(self):
        me = thread()
        for i in range(me + 1, n_cpus()):
            flag = yield self.flag[i].load(ACQUIRE)
            while flag == 2 or flag == 3:
                yield pause()
                flag = yield self.flag[i].load(ACQUIRE)
        yield self.flag[me].store(0, RELEASE)
