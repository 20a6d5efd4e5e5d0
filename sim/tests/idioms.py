"""Programs that use the language as algorithms in books and kernels do.

Counted loops with operations under an ``if``, ``super()``, helpers that take and give nodes and
words, and queue nodes that two locks share.
"""

from locksim.lang import (
    ACQUIRE,
    NS,
    NULL,
    RELAXED,
    RELEASE,
    Lock,
    Struct,
    Workload,
    array,
    compute,
    done,
    param,
    part,
    pause,
    perthread,
    pointer,
    thread,
    word,
)
from locksim.library.locks.ticket import TicketLock


class Bakery(Lock):
    """Lamport's bakery (CACM 17(8), 1974), for ``n`` threads, with SEQ_CST accesses."""

    n = param(2)
    choosing = array("n")
    number = array("n")

    def acquire(self):
        me = thread()
        yield self.choosing[me].store(1)
        largest = 0
        for other in range(self.n):
            if other != me:
                theirs = yield self.number[other].load()
                largest = max(largest, theirs)
        mine = largest + 1
        yield self.number[me].store(mine)
        yield self.choosing[me].store(0)
        for other in range(self.n):
            if other != me:
                yield from self.wait_for_zero(self.choosing[other])
                while self.goes_first((yield self.number[other].load()), other, mine, me):
                    yield pause()

    def wait_for_zero(self, flag: word):
        while (yield flag.load()) != 0:
            yield pause()

    def goes_first(self, theirs, other, mine, me):
        return theirs != 0 and (theirs < mine or (theirs == mine and other < me))

    def release(self):
        yield self.number[thread()].store(0)


class HastyBakery(Bakery):
    """The bakery without its doorway flag: two threads can draw the same number unseen."""

    def wait_for_zero(self, flag: word):
        yield pause()


class Filter(Lock):
    """The filter lock (Peterson, IPL 12(3), 1981): each of ``n - 1`` levels holds one back."""

    n = param(2)
    level_of = array("n")
    last_at = array("n")

    def acquire(self):
        me = thread()
        for level in range(1, self.n):
            yield self.level_of[me].store(level)
            yield self.last_at[level].store(me)
            for other in range(self.n):
                if other != me:
                    while (yield self.level_of[other].load()) >= level:
                        if (yield self.last_at[level].load()) != me:
                            break
                        yield pause()

    def release(self):
        yield self.level_of[thread()].store(0)


class CountingTicket(TicketLock):
    """A ticket lock that counts how often it was taken, under itself."""

    taken = word()

    def acquire(self):
        yield from super().acquire()
        yield from self.count(self.step())

    def count(self, step):
        taken = yield self.taken.load(RELAXED)
        yield self.taken.store(taken + step, RELAXED)

    def step(self):
        return 1

    def release(self):
        yield from super().release()


class CountingByTwo(CountingTicket):
    """The same one class further down: a helper and a program above, under the same names."""

    def acquire(self):
        yield from super().acquire()

    def step(self):
        return super().step() + 1


class Flagged(Lock):
    """Every loop ends by a flag, and one way around it sets the flag only."""

    FREE, TAKEN = 0, 1
    state = word()

    def acquire(self):
        taken = 0
        while not taken:
            waiting = 1
            seen = yield self.state.load(RELAXED)
            while waiting:
                if seen == self.FREE:
                    waiting = 0
                else:
                    yield pause()
                    seen = yield self.state.load(RELAXED)
            taken = (yield self.state.swap(self.TAKEN, ACQUIRE)) == self.FREE

    def release(self):
        yield self.state.store(self.FREE, RELEASE)


class Seat(Struct):
    """A queue node."""

    next = pointer("Seat")
    waits = word()


class QueueLock(Lock):
    """The MCS lock (TOCS 9(1), 1991) whose caller brings the node."""

    tail = pointer(Seat)

    def acquire(self, seat: Seat):
        yield seat.next.store(NULL, RELAXED)
        yield seat.waits.store(1, RELAXED)
        before = yield self.tail.swap(seat)
        if before != NULL:
            yield before.next.store(seat, RELEASE)
            while (yield seat.waits.load(ACQUIRE)) != 0:
                yield pause()

    def release(self, seat: Seat):
        after = yield seat.next.load(ACQUIRE)
        if after == NULL:
            if (yield self.tail.compare_swap(seat, NULL, RELEASE)) == seat:
                return
            after = yield from self.successor(seat)
        yield after.waits.store(0, RELEASE)

    def successor(self, seat: Seat) -> Seat:
        while True:
            after = yield seat.next.load(ACQUIRE)
            if after != NULL:
                return after
            yield pause()


class SeatTable(Struct):
    """The nodes of all locks: one for each thread, as a kernel has some for each CPU."""

    seats = perthread(Seat)

    def mine(self):
        return self.seats[thread()]


class TabledLock(Lock):
    """The same lock, which finds the node itself in a table that it was given."""

    queue = part(QueueLock)
    table = pointer(SeatTable)

    def acquire(self):
        table = yield self.table.load(RELAXED)
        yield from self.queue.acquire(table.mine())

    def release(self):
        table = yield self.table.load(RELAXED)
        yield from self.queue.release(table.mine())


class Account(Struct):
    """Money, and the lock that guards it."""

    lock = part(TabledLock)
    money = word()

    def give(self, amount):
        yield from self.lock.acquire()
        money = yield self.money.load(RELAXED)
        yield compute(20 * NS)
        yield self.money.store(money + amount, RELAXED)
        yield from self.lock.release()


class Bank(Workload):
    """Every thread pays into two accounts in turn. Their locks share one table of nodes."""

    rounds = param(1)
    table = part(SeatTable)
    rich = part(Account)
    poor = part(Account)

    def setup(self):
        yield self.rich.lock.table.store(self.table)
        yield self.poor.lock.table.store(self.table)

    def thread(self):
        for _ in range(self.rounds):
            yield from self.better(self.rich).give(1)
            yield from self.better(self.poor).give(2)
            yield done()

    def better(self, account: Account):
        return account


class Crowd(Workload):
    """Threads that take a lock in turn."""

    rounds = param(3)
    lock = part(Lock)
    data = word()

    def thread(self):
        for _ in range(self.rounds):
            yield from self.lock.acquire()
            data = yield self.data.load(RELAXED)
            yield compute(30 * NS)
            yield self.data.store(data + 1, RELAXED)
            yield from self.lock.release()
            yield done()
