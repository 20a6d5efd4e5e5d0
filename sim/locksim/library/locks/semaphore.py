"""Counting semaphore whose waiters sleep: a count and a queue under a spinlock.

Mechanism. ``down`` takes a permit if there is one, else it puts the CPU's entry at the end of the
queue and sleeps. ``up`` adds a permit, unless a CPU waits: then the first one gets it directly. The
permit goes from hand to hand and is never in the count, so no CPU that comes later can take it
away. The waker marks the entry and then sends the interrupt; the sleeper looks at the mark each
time it is woken, whoever woke it.

Invariants. Count and queue change under ``lock`` only. While a CPU is on the queue the count is 0:
a permit is either in the count, or held, or in the mark of an entry that has left the queue.

Orders. The mark is set with RELEASE and read with ACQUIRE: what the waker did before ``up`` comes
before what the sleeper does after ``down``. Where the permit went through the count, the spinlock
orders this. The mark is set by an exchange: a plain store could stay in the store buffer while the
interrupt is sent, and the sleeper would look, find no mark, and sleep on.

Cost in line transfers. Uncontended: none if this CPU used the semaphore last, else those of the
lock's line, on which the count lies. Contended: the lock's line for each ``down`` and ``up``, the
entry's line twice for a permit that is handed over, and an interrupt.

Fairness. First come, first served. A try overtakes no CPU, as there is no permit while a CPU waits.

Not modelled. Signals and time-outs that end a wait; in the kernel the sleeper is a task, and its
CPU runs another one meanwhile.

Source: Linux 2.6.26, kernel/semaphore.c (Wilcox).
"""

from locksim.lang import *
from locksim.library.locks.ttas import TTASLock

__all__ = ["QueuedSemaphore"]


class Waiter(Struct):
    """A CPU's place on the queue (struct semaphore_waiter): ``up`` is 1 once it has its permit."""

    number = word()
    up = word()
    next = pointer("Waiter")


class QueuedSemaphore(CountingSemaphore):
    """Counting semaphore with a queue of sleepers (Linux 2.6.26, kernel/semaphore.c)."""

    lock = part(TTASLock, padded=True)
    count = word()
    first = pointer(Waiter)
    last = pointer(Waiter)
    waiters = percpu(Waiter)

    def setup(self):
        yield self.count.store(self.permits, RELAXED)
        for i in range(n_cpus()):
            yield self.waiters[i].number.store(i, RELAXED)

    def down(self):
        yield from self.lock.acquire()
        if (yield from self.take()):
            yield from self.lock.release()
            return
        me = self.waiters[cpu()]
        yield from self.append(me)
        yield from self.lock.release()
        while not (yield me.up.load(ACQUIRE)):
            yield block()

    def try_down(self):
        yield from self.lock.acquire()
        got = yield from self.take()
        yield from self.lock.release()
        return got

    def up(self):
        yield from self.lock.acquire()
        waiter = yield self.first.load(RELAXED)
        if waiter:
            rest = yield waiter.next.load(RELAXED)
            yield self.first.store(rest, RELAXED)
            yield from self.lock.release()
            number = yield waiter.number.load(RELAXED)
            yield waiter.up.swap(1, RELEASE)
            yield wake(number)
        else:
            count = yield self.count.load(RELAXED)
            yield self.count.store(count + 1, RELAXED)
            yield from self.lock.release()

    # Under the lock

    def take(self):
        count = yield self.count.load(RELAXED)
        if count:
            yield self.count.store(count - 1, RELAXED)
            return 1
        return 0

    def append(self, me: Waiter):
        yield me.up.store(0, RELAXED)
        yield me.next.store(NULL, RELAXED)
        if (yield self.first.load(RELAXED)):
            last = yield self.last.load(RELAXED)
            yield last.next.store(me, RELAXED)
        else:
            yield self.first.store(me, RELAXED)
        yield self.last.store(me, RELAXED)
