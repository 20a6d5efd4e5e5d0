"""Classic RCU: readers cost nothing; memory is freed after every CPU passed a quiescent state.

Mechanism. A reader takes no lock and writes nothing; it only must not outlive its CPU's next
quiescent state (a way out of the kernel, a context switch). An updater unlinks an object, so that
no *new* reader can find it, and hands it to ``call_rcu``. The object is freed after a *grace
period*: a time in which every CPU has passed a quiescent state. Every reader that could have seen
the object is then gone. Grace periods are numbered and run one after another for the whole machine:
``current`` is the newest that has started, ``completed`` the newest that has ended, ``waiting_for``
counts the CPUs that have yet to report in the current one. The last to report ends it, and starts
another if a CPU asked for it. Callbacks go in batches: a CPU collects them in ``next_batch``, and
when its earlier batch is gone the collection becomes ``this_batch``, which waits for the grace
period ``batch`` and is freed as a whole.

``quiescent()`` is called where the CPU holds no reference. It reports to the current grace period,
unless this CPU has done so already, and moves this CPU's batches on. The kernel splits this in two,
a flag set at the context switch and a look at the flag once a tick; here a call does both, and
nearly always finds nothing to do: four loads that hit.

Invariants. ``completed <= current <= completed + 1``. All shared state changes under ``lock``.
A batch waits for a grace period that starts *after* it was closed: its number is ``current +
1``, read under the lock. Why the lock, which the kernel takes later: the lock's release orders
the unlinking before any later start of a grace period; a bare load of ``current`` could run
ahead of an unlinking store that still sits in the store buffer. A CPU reports each grace period
once, since ``passed`` is its own.

Cost in line transfers. Reader: none, ever; no write, no fence that takes time. Quiescent state
without a grace period: none. One grace period on N CPUs: N re-reads of ``current``, and N times
the lock and the count, one after another. Batches share grace periods, so the price for one
update falls as updates become more frequent. At hundreds of CPUs the one lock hurts;
hierarchical RCU (2.6.29) spreads it over a tree.

Fairness. No reader ever waits. An updater waits for the slowest CPU: one that never reports
stops all freeing.

CPUs that stop running must say so: ``offline()`` first waits for this CPU's own callbacks, then
leaves the count.

Not modelled. Preemptible readers; batches of limited size (``maxbatch``, 2.6.9); callbacks
other than freeing; idle CPUs noticed by a tick.
"""

from locksim.lang import *
from locksim.library.locks.ttas import TTASLock

__all__ = ["RCU", "RcuHead"]


class RcuHead(Struct):
    """The first field of an object that ``call_rcu`` frees: its link in a batch."""

    next = pointer("RcuHead")


class RcuCpu(Struct):
    """What one CPU knows: only that CPU writes it (struct rcu_data of Linux 2.6)."""

    passed = word()
    batch = word()
    next_batch = pointer(RcuHead)
    this_batch = pointer(RcuHead)


class RCU(ReadCopyUpdate):
    """Classic RCU (McKenney and Slingwine, PDCS 1998; Linux 2.5.43 to 2.6.28, rcupdate.c)."""

    current = word(padded=True)
    completed = word()
    lock = part(TTASLock, padded=True)
    waiting_for = word()
    online = word()
    asked = word()
    cpus = percpu(RcuCpu)

    def setup(self):
        yield self.online.store(n_cpus(), RELAXED)

    def read_lock(self):
        yield fence(ACQUIRE)

    def read_unlock(self):
        yield fence(RELEASE)

    def call_rcu(self, head: RcuHead):
        mine = self.cpus[cpu()]
        first = yield mine.next_batch.load(RELAXED)
        yield head.next.store(first, RELAXED)
        yield mine.next_batch.store(head, RELAXED)

    def synchronize_rcu(self):
        # Not inside a reader. The caller's own CPU is waited for too, so it reports while it waits.
        batch = yield from self.ask()
        yield from self.quiescent()
        while (yield self.completed.load(ACQUIRE)) < batch:
            yield pause()
            yield from self.quiescent()

    def quiescent(self):
        mine = self.cpus[cpu()]
        current = yield self.current.load(ACQUIRE)
        if (yield mine.passed.load(RELAXED)) != current:
            yield mine.passed.store(current, RELAXED)
            yield from self.lock.acquire()
            yield from self.report(current)
            yield from self.lock.release()
        if (yield mine.this_batch.load(RELAXED)):
            yield from self.free_batch(mine)
        if (yield mine.next_batch.load(RELAXED)) and not (yield mine.this_batch.load(RELAXED)):
            yield from self.close_batch(mine)

    def offline(self):
        mine = self.cpus[cpu()]
        yield from self.quiescent()
        while (yield mine.this_batch.load(RELAXED)) or (yield mine.next_batch.load(RELAXED)):
            yield pause()
            yield from self.quiescent()
        yield from self.lock.acquire()
        online = yield self.online.load(RELAXED)
        yield self.online.store(online - 1, RELAXED)
        current = yield self.current.load(RELAXED)
        if (yield mine.passed.load(RELAXED)) != current:
            yield mine.passed.store(current, RELAXED)
            yield from self.report(current)
        yield from self.lock.release()

    def free_batch(self, mine: RcuCpu):
        batch = yield mine.batch.load(RELAXED)
        # Acquire: what any CPU read before it reported comes before our freeing.
        if (yield self.completed.load(ACQUIRE)) < batch:
            return
        head = yield mine.this_batch.load(RELAXED)
        yield mine.this_batch.store(NULL, RELAXED)
        while head:
            after = yield head.next.load(RELAXED)
            yield free(head)
            head = after

    def close_batch(self, mine: RcuCpu):
        head = yield mine.next_batch.load(RELAXED)
        yield mine.this_batch.store(head, RELAXED)
        yield mine.next_batch.store(NULL, RELAXED)
        batch = yield from self.ask()
        yield mine.batch.store(batch, RELAXED)

    def ask(self):
        # Gives the number of a grace period that starts from now on.
        yield from self.lock.acquire()
        current = yield self.current.load(RELAXED)
        if (yield self.completed.load(RELAXED)) == current:
            yield from self.start(current + 1)
        else:
            yield self.asked.store(1, RELAXED)
        yield from self.lock.release()
        return current + 1

    def start(self, number):
        # Under the lock, between two grace periods.
        online = yield self.online.load(RELAXED)
        yield self.waiting_for.store(online, RELAXED)
        yield self.current.store(number, RELEASE)

    def report(self, current):
        # Under the lock, once for each CPU and grace period.
        left = yield self.waiting_for.load(RELAXED)
        yield self.waiting_for.store(left - 1, RELAXED)
        if left == 1:
            yield self.completed.store(current, RELEASE)
            if (yield self.asked.load(RELAXED)):
                yield self.asked.store(0, RELAXED)
                yield from self.start(current + 1)
