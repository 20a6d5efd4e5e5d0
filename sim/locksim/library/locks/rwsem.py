"""Linux's reader-writer semaphore: one word counts, a list sleeps, readers are woken together.

Mechanism. ``count`` holds the readers above three bits: WRITER (a writer is in), WAITERS (the list
is not empty) and HANDOFF (the first of the list is next). A reader adds 1 and is in if it saw none
of the bits; a writer swaps WRITER for 0. The others go the slow way:

- *A reader* that saw neither WRITER nor HANDOFF is in all the same, past the list; if it is the
  first one it wakes the readers of the list. Else it joins the list, and takes its 1 back in the
  same step that may set WAITERS.
- *A writer* first spins, as in ``mutex``: in the queue ``osq``, while a writer that runs is in.
  Then it joins the list, and tries each time it is woken.
- *Who leaves* and sees WAITERS with nobody in wakes (``wake_up``). A writer at the head is just
  woken: others may be quicker. For a reader at the head, the waker first adds 1 to the count, which
  keeps writers out; then all readers of the list get their 1 and are taken off, and they sleep
  until they find that ``granted`` is set.

*Handoff*. The head of the list that has been woken and finds the semaphore taken sets HANDOFF;
for a reader its waker does, when a writer was quicker. From then on neither spinners nor newcomers
get in before that one.

Invariants. A writer sets WRITER only on a count without readers. A reader stays only if no WRITER
was there when it counted itself in, or is granted. List, WAITERS and HANDOFF change under
``wait_lock`` (all of them by atomic operations, as readers count beside).

Why no wake-up is lost. WAITERS is set before the thread's last look at the count, which is one
operation with it for readers. Who takes the last 1 or WRITER away reads WAITERS in the same
operation. A waiter that finds nobody in wakes the head of the list itself.

Orders. Each way in is an ACQUIRE of ``count`` or of ``granted``, each way out a RELEASE of it.
``granted`` is set by an exchange: a plain store could wait in the store buffer while the interrupt
is sent. ``owner`` only says whether spinning makes sense.

Cost in line transfers. Uncontended or readers alone: as ``rwlock``, two atomic instructions on one
line, one after another all over the machine, and a store to ``owner`` beside it. Sleeping: three
spinlocked sections, a wake-up and a sleep. Readers that wait together share one section.

The lock of the list is fair, as in ``mutex`` and for its reason.

Proofs. Under sc and tso; ``osq`` says why not under c11.

Fairness. Readers that come while readers are in overtake waiting writers until HANDOFF is set, and
spinning writers overtake all that sleep. The head of the list loses once at most after it has been
woken.

Not modelled. Linux hands over after 4 ms of waiting, here the head's first failure is long enough:
the checker has no clock. Writers that spin for a while although readers are in, and the bit that
ends this; a limit of 256 readers for one wake-up; when readers stop overtaking others that sleep;
signals and time-outs. When spinning ends, as in ``mutex``.

Source: Linux 5.15, kernel/locking/rwsem.c (Howells; Long, 2019).
"""

from locksim.lang import *
from locksim.library.locks.osq import OptimisticSpinQueue
from locksim.library.locks.ticket import TicketLock

__all__ = ["LinuxRWSemaphore"]

WRITER = 1
WAITERS = 2
HANDOFF = 4
READER = 256
READERS = ~(READER - 1)
HELD = READERS | WRITER

READERS_OWN = -1


class RWWaiter(Struct):
    """A thread's place in the list; ``on_cpu`` is 0 while it sleeps, ``granted`` is for readers."""

    number = word()
    reads = word()
    granted = word()
    next = pointer("RWWaiter")
    previous = pointer("RWWaiter")
    on_cpu = word(1)


class LinuxRWSemaphore(RWLock):
    """Reader-writer semaphore with spinning writers (Linux 5.15, kernel/locking/rwsem.c).

    Arguments:
        resched_one_in: one of so many waits for a writer ends at its first look, as if another task
            needed the CPU; 0: none. The queue of spinners has its own.
    """

    MODELS = ("sc", "tso")
    resched_one_in = param(16)
    count = word(padded=True)
    owner = word()
    wait_lock = part(TicketLock)
    first = pointer(RWWaiter)
    last = pointer(RWWaiter)
    queue = part(OptimisticSpinQueue)
    waiters = perthread(RWWaiter)

    def setup(self):
        for i in range(n_threads()):
            yield self.waiters[i].number.store(i, RELAXED)

    def read_acquire(self):
        count = yield self.count.fetch_add(READER, ACQUIRE)
        if not count & (WRITER | WAITERS | HANDOFF):
            yield self.owner.store(READERS_OWN, RELAXED)
        elif not count & (WRITER | HANDOFF):
            yield self.owner.store(READERS_OWN, RELAXED)
            if not count & READERS:
                yield from self.wake_readers()
        else:
            yield from self.read_in_line()

    def read_try_acquire(self):
        count = yield self.count.load(RELAXED)
        while not count & (WRITER | WAITERS | HANDOFF):
            seen = yield self.count.compare_swap(count, count + READER, ACQUIRE)
            if seen == count:
                yield self.owner.store(READERS_OWN, RELAXED)
                return 1
            count = seen
        return 0

    def read_release(self):
        count = yield self.count.fetch_add(-READER, RELEASE)
        if (count - READER) & (HELD | WAITERS) == WAITERS:
            yield from self.wake_up()

    def write_acquire(self):
        if (yield self.count.compare_swap(0, WRITER, ACQUIRE)) == 0:
            yield self.owner.store(thread() + 1, RELAXED)
        elif not (yield from self.spin()):
            yield from self.write_in_line()

    def write_try_acquire(self):
        if (yield self.count.compare_swap(0, WRITER, ACQUIRE)):
            return 0
        yield self.owner.store(thread() + 1, RELAXED)
        return 1

    def write_release(self):
        yield self.owner.store(0, RELAXED)
        if (yield self.count.fetch_add(-WRITER, RELEASE)) & WAITERS:
            yield from self.wake_up()

    def downgrade(self):
        count = yield self.count.fetch_add(READER - WRITER, RELEASE)
        yield self.owner.store(READERS_OWN, RELAXED)
        if count & WAITERS:
            yield from self.wake_readers()

    # Writers that spin

    def spin(self):
        """Spin for the semaphore as a writer: 1 with it, 0 where spinning makes no sense."""
        if not (yield from self.queue.enter()):
            return 0
        got = yield from self.take_past_the_list()
        while not got and (yield from self.wait_for_writer()):
            yield pause()
            got = yield from self.take_past_the_list()
        yield from self.queue.release()
        return got

    def take_past_the_list(self):
        count = yield self.count.load(RELAXED)
        while not count & (HELD | HANDOFF):
            seen = yield self.count.compare_swap(count, count | WRITER, ACQUIRE)
            if seen == count:
                yield self.owner.store(thread() + 1, RELAXED)
                return 1
            count = seen
        return 0

    def wait_for_writer(self):
        """Spin while the same writer is in: 1; 0 if it lost its CPU, or readers are in."""
        owner = yield self.owner.load(RELAXED)
        if owner < 0 or (self.resched_one_in and random_below(self.resched_one_in) == 0):
            return 0
        if owner == 0:
            return 1
        on_cpu = self.waiters[owner - 1].on_cpu
        while (yield self.owner.load(RELAXED)) == owner and (yield on_cpu.load(RELAXED)):
            yield pause()
        runs = yield on_cpu.load(RELAXED)
        return runs

    # Who sleeps

    def read_in_line(self):
        me = self.waiters[thread()]
        yield me.granted.store(0, RELAXED)
        yield from self.wait_lock.acquire()
        change = -READER
        if not (yield self.first.load(RELAXED)):
            if not (yield self.count.load(ACQUIRE)) & (WRITER | HANDOFF):
                yield from self.wait_lock.release()
                yield self.owner.store(READERS_OWN, RELAXED)
                return
            change = WAITERS - READER
        yield from self.append(me, 1)
        count = (yield self.count.fetch_add(change, RELAXED)) + change
        woken = cast(RWWaiter, NULL)
        if not count & HELD or (change > -READER and not count & WRITER):
            woken = yield from self.choose(0)
        yield from self.unlock_and_wake(woken)
        while not (yield me.granted.load(ACQUIRE)):
            yield from self.sleep(me)

    def write_in_line(self):
        me = self.waiters[thread()]
        yield from self.wait_lock.acquire()
        yield from self.append(me, 0)
        if (yield self.first.load(RELAXED)) == me:
            yield self.count.fetch_or(WAITERS, RELAXED)
        elif not (yield self.count.load(RELAXED)) & HELD:
            woken = yield from self.choose(0)
            yield from self.unlock_and_wake(woken)
            yield from self.wait_lock.acquire()
        got = yield from self.take_in_line(me, 0)
        while not got:
            yield from self.wait_lock.release()
            yield from self.sleep(me)
            yield from self.wait_lock.acquire()
            got = yield from self.take_in_line(me, 1)
        yield from self.remove(me)
        yield from self.wait_lock.release()

    def take_in_line(self, me: RWWaiter, woken):
        """Under the list's lock: take the semaphore as a writer, or ask for the handoff."""
        first = (yield self.first.load(RELAXED)) == me
        last = (yield self.last.load(RELAXED)) == me
        count = yield self.count.load(RELAXED)
        while first or not count & HANDOFF:
            if count & HELD:
                if count & HANDOFF or not first or not woken:
                    return 0
                wanted = count | HANDOFF
            else:
                wanted = (count | WRITER) & ~HANDOFF
                if first and last:
                    wanted = wanted & ~WAITERS
            seen = yield self.count.compare_swap(count, wanted, ACQUIRE)
            if seen == count:
                if count & HELD:
                    return 0
                yield self.owner.store(thread() + 1, RELAXED)
                return 1
            count = seen
        return 0

    # Waking

    def wake_up(self):
        """Nobody is in, and some thread sleeps."""
        woken = cast(RWWaiter, NULL)
        yield from self.wait_lock.acquire()
        if (yield self.first.load(RELAXED)):
            woken = yield from self.choose(0)
        yield from self.unlock_and_wake(woken)

    def wake_readers(self):
        """A reader is in, and others may join it if they are first."""
        woken = cast(RWWaiter, NULL)
        yield from self.wait_lock.acquire()
        if (yield self.first.load(RELAXED)):
            woken = yield from self.choose(1)
        yield from self.unlock_and_wake(woken)

    def choose(self, reading) -> RWWaiter:
        """Under the list's lock: whom to wake, a writer or a chain of readers that are in now.

        With ``reading`` the caller is a reader, and wakes readers only.
        """
        head = yield self.first.load(RELAXED)
        if not (yield head.reads.load(RELAXED)):
            if reading:
                head = cast(RWWaiter, NULL)
            return head
        if not reading:
            count = yield self.count.fetch_add(READER, ACQUIRE)
            if count & WRITER:
                # A writer was quicker. The next one will not be.
                if count & HANDOFF:
                    yield self.count.fetch_add(-READER, RELAXED)
                else:
                    yield self.count.fetch_add(HANDOFF - READER, RELAXED)
                return cast(RWWaiter, NULL)
            yield self.owner.store(READERS_OWN, RELAXED)
        change = (reading - 1) * READER
        chain = cast(RWWaiter, NULL)
        at = yield self.last.load(RELAXED)
        while at:
            before = yield at.previous.load(RELAXED)
            if (yield at.reads.load(RELAXED)):
                yield from self.remove(at)
                yield at.next.store(chain, RELAXED)
                chain = at
                change = change + READER
            at = before
        if not (yield self.first.load(RELAXED)):
            change = change - WAITERS
        if (yield self.count.load(RELAXED)) & HANDOFF:
            change = change - HANDOFF
        yield self.count.fetch_add(change, RELAXED)
        return chain

    def unlock_and_wake(self, woken: RWWaiter):
        """Release the list's lock, then wake one writer, or grant and wake a chain of readers."""
        reads = 0
        if woken:
            # Now, as a writer may be gone and back as a reader later.
            reads = yield woken.reads.load(RELAXED)
        yield from self.wait_lock.release()
        while woken:
            number = yield woken.number.load(RELAXED)
            after = cast(RWWaiter, NULL)
            if reads:
                after = yield woken.next.load(RELAXED)
                yield woken.granted.swap(1, RELEASE)
            yield wake(number)
            woken = after

    def sleep(self, me: RWWaiter):
        yield me.on_cpu.store(0, RELAXED)
        yield block()
        yield me.on_cpu.store(1, RELAXED)

    # The list, under its lock

    def append(self, me: RWWaiter, reads):
        last = yield self.last.load(RELAXED)
        yield me.reads.store(reads, RELAXED)
        yield me.next.store(NULL, RELAXED)
        yield me.previous.store(last, RELAXED)
        if last:
            yield last.next.store(me, RELAXED)
        else:
            yield self.first.store(me, RELAXED)
        yield self.last.store(me, RELAXED)

    def remove(self, waiter: RWWaiter):
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
