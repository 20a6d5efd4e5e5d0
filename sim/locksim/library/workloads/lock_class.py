"""A class of locks: equal locks, each with the data that it guards, taken by all CPUs.

A row of a lock report is often a class in this sense: every inode has its ``i_lock``. Two things
decide how much its locks contend, besides times and rates, and both are parameters here: how many
locks there are, and who uses which. A section takes a lock at random, or the CPU's own one (CPUs
with neighbouring numbers share a lock if there are fewer locks than CPUs).

The number of locks may lie between two whole numbers: with 2.25 locks the third is taken a quarter
as often as each of the others. So a load can be fitted to a report step by step.

Holds are drawn with any coefficient of variation c. Up to 1 a hold is a fixed part and an
exponential one; above 1 a share 2 / (1 + c * c) of the holds is exponential, and the others are
empty. Each CPU thinks after a section, or goes on at once with the chance ``again``. One unit of
work is one critical section.

Four kinds of instances differ in what a reader does. ``Exclusive``: the same as a writer.
``Shared``: it takes the read side. ``Sequenced``: it reads again until no writer came by.
``Unlocked``: it takes nothing; what a writer replaces is freed later, elsewhere and at no cost.
``RcuClass`` adds the cost: a writer waits for a grace period after its section.

Not modelled: locks that are taken together, a lock that is held on another's behalf, and holds
that depend on the number of CPUs in another way than by cache lines.
"""

from locksim.lang import *
from locksim.library.locks.qrwlock import QueuedRWLock
from locksim.library.locks.qspinlock import QueuedSpinlock
from locksim.library.locks.rcu_qsbr import QSBR
from locksim.library.locks.seqlock import SpinSeqLock
from locksim.library.workloads.paced import Paced

__all__ = ["LockClass", "Exclusive", "RcuClass", "Sequenced", "Shared", "Unlocked"]  # noqa: RUF022 - the first is the entry

MILLI = 1000
PERCENT = 100


class Exclusive(Struct):
    """A lock and the lines that it guards, each with a word that a writer counts up.

    Arguments:
        lines: their number, from 1. touched: those that a section touches, from 0.
    """

    lines = param(1)
    touched = param(1)
    lock = part(QueuedSpinlock, padded=True)
    data = array("lines", word(), padded=True)

    def read(self, hold_ps):
        yield from self.lock.acquire()
        yield from self.look()
        yield compute(hold_ps)
        yield from self.lock.release()

    def write(self, hold_ps):
        yield from self.lock.acquire()
        yield from self.change()
        yield compute(hold_ps)
        yield from self.lock.release()

    def look(self):
        for i in range(self.touched):
            yield self.data[i].load(RELAXED)

    def change(self):
        for i in range(self.touched):
            value = yield self.data[i].load(RELAXED)
            yield self.data[i].store(value + 1, RELAXED)


class Unlocked(Exclusive):
    """Readers take no lock; the arguments are those of ``Exclusive``."""

    def read(self, hold_ps):
        yield from self.look()
        yield compute(hold_ps)


class Shared(Exclusive):
    """Readers take the read side; the arguments are those of ``Exclusive``."""

    lock = part(QueuedRWLock, padded=True)

    def read(self, hold_ps):
        yield from self.lock.read_acquire()
        yield from self.look()
        yield compute(hold_ps)
        yield from self.lock.read_release()

    def write(self, hold_ps):
        yield from self.lock.write_acquire()
        yield from self.change()
        yield compute(hold_ps)
        yield from self.lock.write_release()


class Sequenced(Shared):
    """Readers read again until no writer came by; the arguments are those of ``Exclusive``."""

    lock = part(SpinSeqLock, padded=True)

    def read(self, hold_ps):
        while True:
            number = yield from self.lock.read_begin()
            yield from self.look()
            yield compute(hold_ps)
            if not (yield from self.lock.read_retry(number)):
                return


class LockClass(Paced):
    """All CPUs take the locks of one class.

    Arguments:
        locks_milli: thousandths of a lock, from 1000.
        parts: locks that stand for each of them; a section takes any of its lock's parts.
        locks: the number of all, rounded up: whole locks times ``parts``.
        random_percent: share of the sections that take a lock at random, and not the CPU's own.
        read_milli: thousandths of the sections that only read.
        hold_ps, read_hold_ps: mean work under the lock, of writers and of readers.
        spread_percent: coefficient of variation of the holds.
        again_milli: thousandths of the sections that the CPU's next section follows at once.
        batch: sections' work that one acquisition does; each is a unit of work.
        think_ps, think_times, arrivals: as for :class:`Paced`.
    """

    locks_milli = param(1000)
    parts = param(1)
    locks = param(1)
    random_percent = param(100)
    read_milli = param(0)
    read_hold_ps = param(0)
    spread_percent = param(0)
    again_milli = param(0)
    batch = param(1)
    instances = array("locks", Exclusive, padded=True)

    def thread(self):
        # No thread starts in step with another.
        yield compute(random_below(self.think_ps + 1))
        due = now()
        while True:
            yield from self.section()
            for _ in range(self.batch):
                yield done()
            if random_below(MILLI) >= self.again_milli:
                due = yield from self.next_request(due)

    def section(self):
        which = self.chosen()
        if random_below(MILLI) < self.read_milli:
            yield from self.instances[which].read(self.batch * self.spread(self.read_hold_ps))
        else:
            yield from self.instances[which].write(self.batch * self.spread(self.hold_ps))

    def chosen(self):
        """The number of the lock that this section takes."""
        if random_below(PERCENT) < self.random_percent:
            which = random_below(self.locks_milli) // MILLI
        else:
            which = thread() * (self.locks // self.parts) // n_threads()
        return which * self.parts + random_below(self.parts)

    def spread(self, mean_ps):
        """A hold with this mean."""
        c = self.spread_percent
        if c <= PERCENT:
            fixed_ps = mean_ps * (PERCENT - c) // PERCENT
            if fixed_ps == mean_ps:
                return mean_ps
            return fixed_ps + random_exponential(mean_ps - fixed_ps)
        whole = PERCENT * PERCENT + c * c
        if random_below(whole) < 2 * PERCENT * PERCENT:
            return random_exponential(mean_ps * whole // (2 * PERCENT * PERCENT))
        return 0


class RcuClass(LockClass):
    """Readers take no lock, and writers wait for a grace period; arguments as for ``LockClass``."""

    rcu = part(QSBR, padded=True)
    instances = array("locks", Unlocked, padded=True)

    def section(self):
        which = self.chosen()
        if random_below(MILLI) < self.read_milli:
            yield from self.rcu.read_lock()
            yield from self.instances[which].read(self.batch * self.spread(self.read_hold_ps))
            yield from self.rcu.read_unlock()
        else:
            yield from self.instances[which].write(self.batch * self.spread(self.hold_ps))
            yield from self.rcu.synchronize_rcu()
        yield from self.rcu.quiescent()
