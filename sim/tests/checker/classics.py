"""Mutual exclusion of two threads with loads and stores only: right or wrong, by memory model."""

from locksim.lang import RELAXED, SEQ_CST, Lock, array, fence, pause, thread, word


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
