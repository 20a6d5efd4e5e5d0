"""Thirteen locks for the leader board of the capstone: ten of the library, and three of our own.

A lock that lets one thread in at a time is a reader-writer lock too, and a bad one for readers.
"""

from locksim.lang import *
from locksim.library.locks.brlock import BigReaderLock
from locksim.library.locks.clh import CLHLock
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.qrwlock import QueuedRWLock
from locksim.library.locks.qspinlock import QueuedSpinlock
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.rwlock_writer import WriterPreferenceRWLock
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.locks.ttas import TTASLock


class Exclusive(RWLock):
    """Readers take the lock as writers do."""

    lock = part(TASLock)

    def read_acquire(self):
        yield from self.lock.acquire()

    def read_release(self):
        yield from self.lock.release()

    def write_acquire(self):
        yield from self.lock.acquire()

    def write_release(self):
        yield from self.lock.release()


class Tas(Exclusive):
    """Test-and-set."""

    lock = part(TASLock)


class Ttas(Exclusive):
    """Test, then test-and-set."""

    lock = part(TTASLock)


class Ticket(Exclusive):
    """First come, first served."""

    lock = part(TicketLock)


class Mcs(Exclusive):
    """A queue, each on a line of its own."""

    lock = part(MCSLock)


class Clh(Exclusive):
    """A queue, each on the line of the one before."""

    lock = part(CLHLock)


class Qspinlock(Exclusive):
    """MCS behind a word."""

    lock = part(QueuedSpinlock)


class Rwlock(ReaderPreferenceRWLock):
    """One word, readers first."""


class RwlockWriter(WriterPreferenceRWLock):
    """One word, writers first."""


class Qrwlock(QueuedRWLock):
    """One word and a queue."""


class Brlock(BigReaderLock):
    """A lock for each CPU."""


class OwnGroups(RWLock):
    """Readers in as many groups as ``n``; those who find a writer queue up behind it."""

    n = param(4)
    writing = word(padded=True)
    queue = part(MCSLock, padded=True)
    readers = array("n", word(), padded=True)

    def read_acquire(self):
        mine = self.readers[cpu() % self.n]
        yield mine.fetch_add(1, SEQ_CST)
        if (yield self.writing.load(SEQ_CST)):
            yield mine.fetch_add(-1, RELEASE)
            yield from self.queue.acquire()
            yield mine.fetch_add(1, RELAXED)
            yield from self.queue.release()

    def read_release(self):
        yield self.readers[cpu() % self.n].fetch_add(-1, RELEASE)

    def write_acquire(self):
        yield from self.queue.acquire()
        yield self.writing.store(1, SEQ_CST)
        for i in range(self.n):
            while (yield self.readers[i].load(SEQ_CST)):
                yield pause()

    def write_release(self):
        yield self.writing.store(0, RELEASE)
        yield from self.queue.release()


class OwnManyGroups(OwnGroups):
    """A line for two CPUs of the largest pair."""

    n = param(32)


class OwnOneGroup(OwnGroups):
    """One count for all."""

    n = param(1)
