"""Four spinlocks: the solution."""

from locksim.lang import (
    ACQ_REL,
    ACQUIRE,
    NULL,
    RELAXED,
    RELEASE,
    Lock,
    Struct,
    cpu,
    pause,
    percpu,
    pointer,
    word,
)


class TAS(Lock):
    """Test-and-set."""

    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.locked.store(0, RELEASE)


class TTAS(Lock):
    """Test, then test-and-set: waiters read their own copy."""

    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            while (yield self.locked.load(RELAXED)):
                yield pause()

    def release(self):
        yield self.locked.store(0, RELEASE)


class Ticket(Lock):
    """Take a number, wait for it."""

    next_ticket = word()
    now_serving = word()

    def acquire(self):
        mine = yield self.next_ticket.fetch_add(1, RELAXED)
        while (yield self.now_serving.load(ACQUIRE)) != mine:
            yield pause()

    def release(self):
        served = yield self.now_serving.load(RELAXED)
        yield self.now_serving.store(served + 1, RELEASE)


class Waiter(Struct):
    """A place in the queue."""

    next = pointer("Waiter")
    waiting = word()


class MCS(Lock):
    """A queue in which each waiter reads a line of its own."""

    tail = pointer(Waiter)
    places = percpu(Waiter)

    def acquire(self):
        me = self.places[cpu()]
        yield me.next.store(NULL, RELAXED)
        before = yield self.tail.swap(me, ACQ_REL)
        if before:
            yield me.waiting.store(1, RELAXED)
            yield before.next.store(me, RELEASE)
            while (yield me.waiting.load(ACQUIRE)):
                yield pause()

    def release(self):
        me = self.places[cpu()]
        after = yield me.next.load(ACQUIRE)
        if not after:
            if (yield self.tail.compare_swap(me, NULL, RELEASE)) == me:
                return
            after = yield me.next.load(ACQUIRE)
            while not after:
                yield pause()
                after = yield me.next.load(ACQUIRE)
        yield after.waiting.store(0, RELEASE)
