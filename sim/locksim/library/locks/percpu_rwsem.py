"""Per-CPU reader-writer semaphore: readers count on lines of their own, a writer adds them up.

Mechanism. A reader counts itself in at its CPU's count and looks at ``block``. If that is 0 it is
in; if not it takes its count back and waits. A writer sets ``block``, so that no reader comes in
any more, and waits until the counts of all CPUs add up to 0. Only their sum means something: a
reader may be counted in by one CPU and out by another.

Who finds ``block`` set sleeps in a list under a spinlock. The writer that leaves clears ``block``
and goes through the list from its head: it takes the semaphore for each one, as that one would have
done itself, and wakes it. It stops behind the first writer, and where a newcomer has set ``block``
meanwhile. A reader that leaves while a writer waits for the sum wakes that writer.

Invariants. Each CPU alone changes its count. ``block`` is 1 from the time at which a writer may
come in until it leaves. A thread on the list has found ``block`` set under ``lock``, so the writer
that clears it finds that thread. No reader is counted in for good while ``block`` is 1.

Orders. A reader counts itself in and then reads ``block``; a writer sets ``block`` and then reads
the counts. Between the two both have a full fence, so one of them sees the other. It is the same
with a reader that leaves, which counts out and then looks for a writer to wake, and the writer,
which writes its number and then adds up. Counting out is a RELEASE, adding up an ACQUIRE. A
sleeper's mark is set by an exchange: a plain store could wait in the store buffer while the
interrupt is sent.

Cost in line transfers. A reader: none, as long as no writer comes; two full fences, and two stores
to a line of its CPU's own. A writer on N CPUs: it takes ``block`` (and N readers read it again),
and reads N counts, which their CPUs then fetch back. A writer thus costs as much as with
``brlock``; a reader pays for fences instead of atomic instructions, and may sleep inside.

Proofs. Under all three models, c11 included, for two and three threads.

Fairness. Newcomers overtake the list while ``block`` is 0. A writer waits for the readers that are
in, and for no later ones. In the list first come, first served.

Not modelled. Linux's readers need neither fence nor ``block`` while no writer has come for a while
(``rcu_sync``): the first writer waits for an RCU grace period, after which all readers take the way
that is modelled here. The library's RCU needs CPUs that report quiescent states, and a lock's users
do not. So the reader's two fences are a cost that Linux pays near writers only.

Source: Linux 5.15, kernel/locking/percpu-rwsem.c (Nesterov; Zijlstra, 2020).
"""

from locksim.lang import *
from locksim.library.locks.ttas import TTASLock

__all__ = ["PercpuRWSemaphore"]


class PercpuWaiter(Struct):
    """A thread's place in the list; ``granted`` is 1 once the semaphore has been taken for it."""

    number = word()
    reads = word()
    granted = word()
    next = pointer("PercpuWaiter")


class PercpuRWSemaphore(RWLock):
    """Per-CPU reader-writer semaphore (Linux 5.15, kernel/locking/percpu-rwsem.c)."""

    block = word(padded=True)
    writer = word()
    lock = part(TTASLock, padded=True)
    first = pointer(PercpuWaiter)
    last = pointer(PercpuWaiter)
    counts = percpu(word())
    waiters = perthread(PercpuWaiter)

    def setup(self):
        for i in range(n_threads()):
            yield self.waiters[i].number.store(i, RELAXED)

    def read_acquire(self):
        if not (yield from self.count_in()):
            yield from self.wait_in_line(1)

    def read_try_acquire(self):
        got = yield from self.count_in()
        return got

    def read_release(self):
        yield from self.count_out()

    def write_acquire(self):
        if not (yield from self.set_block()):
            yield from self.wait_in_line(0)
        yield self.writer.store(thread() + 1, RELAXED)
        yield fence()
        while (yield from self.readers()):
            yield block()
        yield self.writer.store(0, RELAXED)

    def write_release(self):
        yield self.block.store(0, RELEASE)
        yield from self.serve_line()

    # Readers

    def count_in(self):
        """Come in as a reader: 1, or 0 if a writer blocks."""
        mine = self.counts[cpu()]
        count = yield mine.load(RELAXED)
        yield mine.store(count + 1, RELAXED)
        yield fence()
        if not (yield self.block.load(ACQUIRE)):
            return 1
        yield from self.count_out()
        return 0

    def count_out(self):
        mine = self.counts[cpu()]
        count = yield mine.load(RELAXED)
        yield mine.store(count - 1, RELEASE)
        yield fence()
        writer = yield self.writer.load(RELAXED)
        if writer:
            yield wake(writer - 1)

    # Writers

    def set_block(self):
        """Keep readers and other writers out: 1, or 0 if another writer does."""
        if (yield self.block.load(RELAXED)):
            return 0
        before = yield self.block.swap(1, ACQUIRE)
        return before == 0

    def readers(self):
        """The sum of the counts."""
        found = 0
        for i in range(n_cpus()):
            count = yield self.counts[i].load(ACQUIRE)
            found += count
        return found

    # The list

    def wait_in_line(self, reads):
        me = self.waiters[thread()]
        yield me.reads.store(reads, RELAXED)
        yield me.granted.store(0, RELAXED)
        yield me.next.store(NULL, RELAXED)
        yield from self.lock.acquire()
        got = yield from self.come_in(reads)
        if not got:
            if (yield self.first.load(RELAXED)):
                last = yield self.last.load(RELAXED)
                yield last.next.store(me, RELAXED)
            else:
                yield self.first.store(me, RELAXED)
            yield self.last.store(me, RELAXED)
        yield from self.lock.release()
        if not got:
            while not (yield me.granted.load(ACQUIRE)):
                yield block()

    def serve_line(self):
        yield from self.lock.acquire()
        waiter = yield self.first.load(RELAXED)
        while waiter:
            reads = yield waiter.reads.load(RELAXED)
            if not (yield from self.come_in(reads)):
                break
            after = yield waiter.next.load(RELAXED)
            yield self.first.store(after, RELAXED)
            number = yield waiter.number.load(RELAXED)
            yield waiter.granted.swap(1, RELEASE)
            yield wake(number)
            if not reads:
                break
            waiter = after
        yield from self.lock.release()

    def come_in(self, reads):
        if reads:
            got = yield from self.count_in()
        else:
            got = yield from self.set_block()
        return got
