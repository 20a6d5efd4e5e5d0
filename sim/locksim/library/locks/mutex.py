"""Linux's mutex: waiters spin while the owner has a CPU, else they sleep in a list.

Mechanism. ``owner`` is the number of the thread that has the mutex, with three flags in its low
bits; 0 is free. ``acquire`` swaps the own number for 0, ``release`` swaps 0 for it: that is all
when uncontended. Who finds an owner has two ways to wait.

*Spinning* (``spin``). While the owner has a CPU it will let go soon, and to sleep would take
longer. Only the head of a queue of spinners (``osq``) looks at ``owner``; the others wait on lines
of their own. The head looks until the owner is another one or gone, and tries again. It gives up
when the owner loses its CPU, or when its own CPU is needed for another task.

*Sleeping* (``wait_in_line``). The thread joins a list under ``wait_lock``, the first one sets
WAITERS, and sleeps. ``release`` with WAITERS frees the mutex at once and wakes the first of the
list. Until that one has come back, spinners take the mutex.

*Handoff*. So the first waiter may lose again and again. When it has been woken and the mutex is
taken, it sets HANDOFF, and spins too, past the queue of spinners. The owner's ``release`` then does
not free the mutex: it writes the first waiter's number and PICKUP. Nobody else can take it then,
and the waiter picks it up by taking PICKUP away.

Invariants. WAITERS is set while the list is not empty, but for the moment in which the first one
joins; it tries again before it sleeps. HANDOFF is set by the first of the list only, which stays
the first until it has the mutex. PICKUP is set, and the list changes, under ``wait_lock`` only.

Why no wake-up is lost. A waiter joins the list, sets WAITERS, and then tries once more. ``release``
reads the flags by the same atomic operation that frees the word. Either it comes before the flag,
and the try finds the mutex free, or it sees the flag and wakes the first of the list. A wake-up
that comes before the sleep leaves a permit, and ``block`` returns at once; a permit that is left
over is one wait that looks too often.

Orders. Each way to the mutex is an ACQUIRE of ``owner``, each way out of it a RELEASE.

When spinning ends. Here each thread has its own CPU. An owner has none while it sleeps: a waiter
to which the mutex is handed and which has not woken yet (``on_cpu``). No other task needs a
waiter's CPU, and the checker has no clock. So each wait decides by a random number before it begins
whether it looks once and ends, as ``osq`` says: one of ``resched_one_in`` does. The checker tries
both at every wait, and those that stay must come to an end, too. In a simulation it is an
assumption; 0 is a machine that does nothing else. Tasks that share CPUs have a real
``need_resched``, in ``locksim/library/kernel/task_mutex.py``.

Cost in line transfers. Uncontended: none if this CPU had the mutex last, else one; two atomic
instructions. Spinning: the head of the queue fetches ``owner`` to see it free and to take it, and
leaves the queue as in ``osq``, while it has the mutex already. Who comes back at once takes it
first by the fast way; under a load without pauses that makes most sections one or two transfers.
The words of the mutex are one line, as in the kernel, so who joins the queue disturbs the owner.
Sleeping: as ``futex``, two spinlocked sections, a wake-up and a sleep; and the first waiter's line.

The lock of the list is fair, as the kernel's queued spinlock is. With a test-and-set lock one CPU
may take mutex and list again before any other, for good: the others wait for the list, and every
release passes through it (docs/explain/uncertainty.md). A ticket is enough, and cheaper to prove.

Proofs. Under c11 two threads that come once are proven. More are too many for the checker's memory,
as in ``osq``. The class claims sc and tso only.

Fairness. Spinners are served in the order of their queue, and overtake sleepers. The first sleeper
loses at most once after it has been woken: then the mutex is handed to it. The others follow in the
order of the list.

Not modelled. Owners that sleep for something else: ``on_cpu`` knows this mutex's sleepers only. A
waker that finds its waiter awake: here it sends the interrupt all the same. Also left out: signals,
time-outs, wound/wait mutexes, and real-time mutexes.

Source: Linux 5.15, kernel/locking/mutex.c. Documentation/locking/mutex-design.rst there.
"""

from locksim.lang import *
from locksim.library.locks.osq import OptimisticSpinQueue
from locksim.library.locks.ticket import TicketLock

__all__ = ["LinuxMutex", "Waiter", "WaiterList"]

WAITERS = 1
HANDOFF = 2
PICKUP = 4
FLAGS = WAITERS | HANDOFF | PICKUP
THREAD = 8


class Waiter(Struct):
    """A thread's place in the list (struct mutex_waiter); ``on_cpu`` is 0 while it sleeps."""

    number = word()
    next = pointer("Waiter")
    previous = pointer("Waiter")
    on_cpu = word(1)


class WaiterList(Struct):
    """Waiters in the order of their arrival, from any of which the list can be left."""

    first = pointer(Waiter)
    last = pointer(Waiter)

    def append(self, waiter: Waiter):
        last = yield self.last.load(RELAXED)
        yield waiter.next.store(NULL, RELAXED)
        yield waiter.previous.store(last, RELAXED)
        if last:
            yield last.next.store(waiter, RELAXED)
        else:
            yield self.first.store(waiter, RELAXED)
        yield self.last.store(waiter, RELAXED)

    def remove(self, waiter: Waiter):
        after = yield waiter.next.load(RELAXED)
        before = yield waiter.previous.load(RELAXED)
        if before:
            yield before.next.store(after, RELAXED)
        else:
            yield self.first.store(after, RELAXED)
        if after:
            yield after.previous.store(before, RELAXED)
        else:
            yield self.last.store(before, RELAXED)


class LinuxMutex(Lock):
    """Mutex with optimistic spinning and handoff (Linux 5.15, kernel/locking/mutex.c).

    Arguments:
        resched_one_in: one of so many waits for the owner ends at its first look, as if another
            task needed the CPU; 0: none. The queue of spinners has its own.
    """

    MODELS = ("sc", "tso")
    resched_one_in = param(16)
    owner = word(padded=True)
    wait_lock = part(TicketLock)
    wait_list = part(WaiterList)
    queue = part(OptimisticSpinQueue)
    waiters = perthread(Waiter)

    def setup(self):
        for i in range(n_threads()):
            yield self.waiters[i].number.store(i, RELAXED)

    def acquire(self):
        mine = THREAD * (thread() + 1)
        if (yield self.owner.compare_swap(0, mine, ACQUIRE)) != 0:
            yield from self.acquire_slowly()

    def try_acquire(self):
        holder = yield from self.take(0)
        return holder == 0

    def release(self):
        mine = THREAD * (thread() + 1)
        value = yield self.owner.compare_swap(mine, 0, RELEASE)
        if value != mine:
            yield from self.release_slowly(value)

    def acquire_slowly(self):
        if (yield from self.take(0)):
            if not (yield from self.spin(0)):
                yield from self.wait_in_line()

    def release_slowly(self, value):
        # The value of `owner` has flags. Without HANDOFF the mutex is free before the wake-up.
        while not value & HANDOFF:
            seen = yield self.owner.compare_swap(value, value & FLAGS, RELEASE)
            if seen == value:
                break
            value = seen
        if value & FLAGS:
            yield from self.wait_lock.acquire()
            waiter = yield self.wait_list.first.load(RELAXED)
            if value & HANDOFF:
                yield from self.hand_over(waiter)
            yield from self.wait_lock.release()
            if waiter:
                yield from self.rouse(waiter)

    def take(self, handoff):
        """Take the mutex: 0, or the owner's number; with ``handoff``, ask that one for it."""
        mine = THREAD * (thread() + 1)
        value = yield self.owner.load(RELAXED)
        while True:
            flags = value & FLAGS
            holder = value - flags
            wanted = mine | flags
            if holder:
                if flags & PICKUP and holder == mine:
                    wanted = mine | (flags & ~PICKUP)
                elif handoff and not flags & (PICKUP | HANDOFF):
                    wanted = value | HANDOFF
                else:
                    return holder
            seen = yield self.owner.compare_swap(value, wanted, ACQUIRE)
            if seen == value:
                return 0 if wanted & ~FLAGS == mine else holder
            value = seen

    def hand_over(self, waiter: Waiter):
        # Who asked for it is on the list. Nobody else changes `owner` under the lock of the list.
        assert waiter
        number = yield waiter.number.load(RELAXED)
        wanted = THREAD * (number + 1) | WAITERS | PICKUP
        yield self.owner.swap(wanted, RELEASE)

    # Spinning

    def spin(self, first):
        """Spin for the mutex: 1 with it, 0 where spinning makes no sense any more.

        The first waiter of the list need not queue.
        """
        if not first:
            holder = (yield self.owner.load(RELAXED)) & ~FLAGS
            if holder and not (yield from self.runs(holder)):
                return 0
            if not (yield from self.queue.enter()):
                return 0
        holder = yield from self.take(0)
        while holder and (yield from self.wait_for(holder)):
            yield pause()
            holder = yield from self.take(0)
        if not first:
            yield from self.queue.release()
        return holder == 0

    def runs(self, holder):
        """Whether the owner has a CPU."""
        runs = yield self.waiters[holder // THREAD - 1].on_cpu.load(RELAXED)
        return runs

    def wait_for(self, holder):
        """Spin until the owner is another one: 1; 0 if it lost its CPU, or this CPU is needed."""
        if self.resched_one_in and random_below(self.resched_one_in) == 0:
            seen = (yield self.owner.load(RELAXED)) & ~FLAGS
            return seen != holder
        on_cpu = self.waiters[holder // THREAD - 1].on_cpu
        while (yield self.owner.load(RELAXED)) & ~FLAGS == holder and (yield on_cpu.load(RELAXED)):
            yield pause()
        # Not another look at the owner: it may be the same one again.
        runs = yield on_cpu.load(RELAXED)
        return runs

    # Sleeping

    def wait_in_line(self):
        me = self.waiters[thread()]
        yield from self.wait_lock.acquire()
        holder = yield from self.take(0)
        if holder:
            yield from self.join(me)
            holder = yield from self.take(0)
            while holder:
                yield from self.wait_lock.release()
                yield from self.sleep(me)
                first = (yield self.wait_list.first.load(RELAXED)) == me
                holder = yield from self.take(first)
                if first and holder and (yield from self.spin(1)):
                    holder = 0
                yield from self.wait_lock.acquire()
                if holder:
                    holder = yield from self.take(0)
            yield from self.depart(me)
        yield from self.wait_lock.release()

    def join(self, me: Waiter):
        yield from self.wait_list.append(me)
        if (yield self.wait_list.first.load(RELAXED)) == me:
            yield self.owner.fetch_or(WAITERS, RELAXED)

    def depart(self, me: Waiter):
        yield from self.wait_list.remove(me)
        if not (yield self.wait_list.first.load(RELAXED)):
            yield self.owner.fetch_and(~FLAGS, RELAXED)

    # How a thread sleeps and is woken: with its CPU

    def sleep(self, me: Waiter):
        yield me.on_cpu.store(0, RELAXED)
        yield block()
        yield me.on_cpu.store(1, RELAXED)

    def rouse(self, waiter: Waiter):
        number = yield waiter.number.load(RELAXED)
        yield wake(number)
