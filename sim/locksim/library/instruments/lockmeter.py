"""Lockmeter 1.4 on i386: a spinlock that records how often and how long it is held and waited for.

Mechanism (``kernel/lockmeter.c`` and ``include/asm-i386/lockmeter.h`` by J. Hawkes and R. Bryant,
as in the patch to 2.5.64 of March 2003; Bryant and Hawkes, 4th Annual Linux Showcase, 2000,
describe version 1.3). ``acquire`` tries once, with an exchange. Only if that fails does it read the
clock, take the lock as the kernel does (``lock; decb``, then watching), and read the clock again:
the difference is the wait. With the lock held it looks up the caller in a hash table, counts in a
row that only this CPU writes, and reads the clock: that is when the hold begins. It then writes
the row's number into the lock's word. ``release`` reads the number back, reads the clock, adds the
hold to the row and gives the lock up.

So four things are not as an observer from outside would have them. The time from the lock's word to
the clock is part of no hold, although the others wait. A hold includes one reading of the clock,
and the transfer of the lock's line if a CPU that asks for the lock has taken it meanwhile. A wait
begins after the failed exchange. And a CPU that waits has taken the line twice, not once.

Invariants. ``lock`` is 1 exactly while the lock is free. A row is written by the CPU of its table
only, with the lock held. A lock is released by the CPU that took it.

Cost in line transfers. Those of a test-and-test-and-set lock, an exchange more for each wait, and
the store of the row's number. The tables cost none: each CPU writes its own, and the directory is
only read.

Fairness. None, as the kernel's lock.

Not modelled. The store that clears the number before the release: both leave the store buffer for
one line within a cycle, so no CPU comes between them. The directory's growth: all callers are known
when a run begins, and each lock has one caller where the kernel has several. Lock and number are
two halves of one word there, and two words of a line here.
"""

from locksim.lang import *

__all__ = ["CALLERS", "Lockmeter", "MeteredLock"]

CALLERS = 8
ON = 1


class Entry(Struct):
    """Whom a row of the tables is about (lstat_directory_entry_t)."""

    caller = word()
    lock = word()


class Counts(Struct):
    """A row of a CPU's table: times in picoseconds, and acquisitions (lstat_lock_counts_t).

    Like the kernel's 56 bytes it lies on two lines of 32.
    """

    wait = word()
    hold = word()
    longest_wait = word()
    longest_hold = word()
    acquired_at = word()
    no_wait = word()
    spin = word()


class Table(Struct):
    """The rows of one CPU."""

    rows = array(CALLERS, Counts, padded=True)


class Lockmeter(Struct):
    """What all metered locks share (lstat_control): the directory, and a table for each CPU."""

    state = word(ON, padded=True)
    hashtab = array(CALLERS, word(padded=True))
    directory = array(CALLERS, Entry, padded=True)
    counts = percpu(Table)

    def setup(self):
        for i in range(CALLERS):
            yield self.hashtab[i].store(i)
            yield self.directory[i].caller.store(i)


class MeteredLock(Lock):
    """The i386 spinlock of Linux 2.4 under lockmeter.

    Arguments:
        tables: the word address of the :class:`Lockmeter`, as the kernel's linker would know it.
        caller: which row it counts in, 1 to ``CALLERS - 1``.
        clock_ps: one reading of the time stamp counter (rdtsc).
        lookup_ps: instructions from the lock's word to the clock, without their loads.
        return_ps: instructions from the clock to the caller, and those of a release before its
            clock, and after it.
    """

    tables = param(0)
    caller = param(1)
    clock_ps = param(46 * NS)
    lookup_ps = param(30 * NS)
    return_ps = param(8 * NS)
    lock = word(1)
    index = word()

    def acquire(self):
        meter = cast(Lockmeter, self.tables)
        yield meter.state.load(RELAXED)
        if (yield self.lock.swap(0, ACQUIRE)) > 0:
            row = yield from self.lookup()
            count = yield meter.counts[cpu()].rows[row].no_wait.load(RELAXED)
            yield meter.counts[cpu()].rows[row].no_wait.store(count + 1, RELAXED)
        else:
            yield compute(self.clock_ps)
            start = now()
            yield from self.spin()
            yield compute(self.clock_ps)
            waited = now() - start
            row = yield from self.lookup()
            yield from self.count_wait(row, waited)
        yield compute(self.clock_ps)
        yield meter.counts[cpu()].rows[row].acquired_at.store(now(), RELAXED)
        yield compute(self.return_ps)
        yield self.index.store(row, RELAXED)

    def spin(self):
        # _raw_spin_lock of i386.
        while (yield self.lock.fetch_add(-1, ACQUIRE)) != 1:
            yield pause()
            while (yield self.lock.load(RELAXED)) <= 0:
                yield pause()

    def lookup(self):
        meter = cast(Lockmeter, self.tables)
        row = yield meter.hashtab[self.caller].load(RELAXED)
        yield compute(self.lookup_ps)
        yield meter.directory[row].caller.load(RELAXED)
        yield meter.directory[row].lock.load(RELAXED)
        return row

    def count_wait(self, row, waited):
        mine = cast(Lockmeter, self.tables).counts[cpu()].rows[row]
        count = yield mine.spin.load(RELAXED)
        yield mine.spin.store(count + 1, RELAXED)
        total = yield mine.wait.load(RELAXED)
        yield mine.wait.store(total + waited, RELAXED)
        if (yield mine.longest_wait.load(RELAXED)) < waited:
            yield mine.longest_wait.store(waited, RELAXED)

    def release(self):
        meter = cast(Lockmeter, self.tables)
        yield meter.state.load(RELAXED)
        row = yield self.index.load(RELAXED)
        mine = meter.counts[cpu()].rows[row]
        yield compute(self.return_ps + self.clock_ps)
        held = now() - (yield mine.acquired_at.load(RELAXED))
        total = yield mine.hold.load(RELAXED)
        yield mine.hold.store(total + held, RELAXED)
        if (yield mine.longest_hold.load(RELAXED)) < held:
            yield mine.longest_hold.store(held, RELAXED)
        yield compute(self.return_ps)
        yield self.lock.store(1, RELEASE)
