"""Locks that name too weak an order: right under SC and under TSO, broken under C11.

Each is one order away from a lock of the library; its docstring names what is missing.
"""

from checker.zoo import Animal

from locksim.lang import (
    ACQ_REL,
    ACQUIRE,
    NULL,
    RELAXED,
    RELEASE,
    cpu,
    fence,
    pause,
    word,
)
from locksim.lang.struct import Lock
from locksim.library.locks.clh import CLHLock
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.rwlock import WRITER, ReaderPreferenceRWLock
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.locks.ttas import TTASLock


class TASNoAcquire(TASLock):
    """Missing acquire: the critical section may read what was there before the lock was taken."""

    def acquire(self):
        while (yield self.locked.swap(1, RELAXED)) != 0:
            yield pause()


class TASNoRelease(TASLock):
    """Missing release: the lock looks free before the critical section's stores are visible."""

    def release(self):
        yield self.locked.store(0, RELAXED)


class TASReleaseForAcquire(TASLock):
    """Wrong side: the swap releases, where it has to acquire."""

    def acquire(self):
        while (yield self.locked.swap(1, RELEASE)) != 0:
            yield pause()


class TTASNoAcquire(TTASLock):
    """Missing acquire: the waiting load was made ACQUIRE, and the swap that counts was not."""

    def acquire(self):
        while (yield self.locked.compare_swap(0, 1, RELAXED)) != 0:
            yield pause()
            while (yield self.locked.load(ACQUIRE)) != 0:
                yield pause()


class TTASTryNoAcquire(TTASLock):
    """Missing acquire in try_acquire only."""

    def try_acquire(self):
        old = yield self.locked.compare_swap(0, 1, RELAXED)
        return old == 0


class TTASFenceTooLate(TTASLock):
    """Fence on the wrong side: the release fence comes after the store that it should precede."""

    def release(self):
        yield self.locked.store(0, RELAXED)
        yield fence(RELEASE)


class TTASWrongFence(TTASLock):
    """Wrong fence: a release fence where an acquire fence has to be."""

    def acquire(self):
        while (yield self.locked.compare_swap(0, 1, RELAXED)) != 0:
            yield pause()
        yield fence(RELEASE)


class TicketNoAcquire(TicketLock):
    """Missing acquire: fetch_add got it, but the hand-over is read from now_serving."""

    def acquire(self):
        ticket = yield self.next_ticket.fetch_add(1, ACQUIRE)
        while (yield self.now_serving.load(RELAXED)) != ticket:
            yield pause()


class TicketNoRelease(TicketLock):
    """Missing release: the next ticket is served before the stores are visible."""

    def release(self):
        served = yield self.now_serving.load(RELAXED)
        yield self.now_serving.store(served + 1, RELAXED)


class TicketTryNoAcquire(TicketLock):
    """Misplaced acquire: the swap of next_ticket meets no release; the load would have."""

    def try_acquire(self):
        ticket = yield self.now_serving.load(RELAXED)
        old = yield self.next_ticket.compare_swap(ticket, ticket + 1, ACQUIRE)
        return old == ticket


class MCSLinkNoRelease(MCSLock):
    """Missing release: linked in before its "locked = 1", which may undo the hand-over."""

    def acquire(self):
        node = self.nodes[cpu()]
        yield node.next.store(NULL, RELAXED)
        before = yield self.tail.swap(node, ACQ_REL)
        if before:
            yield node.locked.store(1, RELAXED)
            yield before.next.store(node, RELAXED)
            while (yield node.locked.load(ACQUIRE)) != 0:
                yield pause()


class MCSTailNoAcquire(MCSLock):
    """Missing acquire: who finds the queue empty does not meet the last holder's release."""

    def acquire(self):
        node = self.nodes[cpu()]
        yield node.next.store(NULL, RELAXED)
        before = yield self.tail.swap(node, RELEASE)
        if before:
            yield node.locked.store(1, RELAXED)
            yield before.next.store(node, RELEASE)
            while (yield node.locked.load(ACQUIRE)) != 0:
                yield pause()


class MCSTailNoRelease(MCSLock):
    """Missing release: the node is found before its "next = NULL", which may wipe out the link."""

    def acquire(self):
        node = self.nodes[cpu()]
        yield node.next.store(NULL, RELAXED)
        before = yield self.tail.swap(node, ACQUIRE)
        if before:
            yield node.locked.store(1, RELAXED)
            yield before.next.store(node, RELEASE)
            while (yield node.locked.load(ACQUIRE)) != 0:
                yield pause()


class MCSSpinNoAcquire(MCSLock):
    """Missing acquire: the waiter sees its word cleared, and not what happened before that."""

    def acquire(self):
        node = self.nodes[cpu()]
        yield node.next.store(NULL, RELAXED)
        before = yield self.tail.swap(node, ACQ_REL)
        if before:
            yield node.locked.store(1, RELAXED)
            yield before.next.store(node, RELEASE)
            while (yield node.locked.load(RELAXED)) != 0:
                yield pause()


class MCSHandOverNoRelease(MCSLock):
    """Missing release: the successor's word is cleared before the holder's stores are visible."""

    def release(self):
        node = self.nodes[cpu()]
        after = yield node.next.load(ACQUIRE)
        if not after:
            if (yield self.tail.compare_swap(node, NULL, RELEASE)) == node:
                return
            after = yield node.next.load(ACQUIRE)
            while not after:
                yield pause()
                after = yield node.next.load(ACQUIRE)
        yield after.locked.store(0, RELAXED)


class MCSEmptyNoRelease(MCSLock):
    """Missing release on the way out of an empty queue."""

    def release(self):
        node = self.nodes[cpu()]
        after = yield node.next.load(ACQUIRE)
        if not after:
            if (yield self.tail.compare_swap(node, NULL, RELAXED)) == node:
                return
            after = yield node.next.load(ACQUIRE)
            while not after:
                yield pause()
                after = yield node.next.load(ACQUIRE)
        yield after.locked.store(0, RELEASE)


class MCSNextNoAcquire(MCSLock):
    """Missing acquire: our 0 may come before the successor's own "locked = 1" in its word."""

    def release(self):
        node = self.nodes[cpu()]
        after = yield node.next.load(RELAXED)
        if not after:
            if (yield self.tail.compare_swap(node, NULL, RELEASE)) == node:
                return
            after = yield node.next.load(RELAXED)
            while not after:
                yield pause()
                after = yield node.next.load(RELAXED)
        yield after.locked.store(0, RELEASE)


class CLHTailNoRelease(CLHLock):
    """Missing release: the node is found before it is marked locked."""

    def acquire(self):
        node = yield self.mine[cpu()].load(RELAXED)
        yield node.locked.store(1, RELAXED)
        before = yield self.tail.swap(node, ACQUIRE)
        yield self.before[cpu()].store(before, RELAXED)
        while (yield before.locked.load(ACQUIRE)) != 0:
            yield pause()


class CLHSpinNoAcquire(CLHLock):
    """Missing acquire: the predecessor's mark is gone, its stores are not there yet."""

    def acquire(self):
        node = yield self.mine[cpu()].load(RELAXED)
        yield node.locked.store(1, RELAXED)
        before = yield self.tail.swap(node, ACQ_REL)
        yield self.before[cpu()].store(before, RELAXED)
        while (yield before.locked.load(RELAXED)) != 0:
            yield pause()


class CLHNoRelease(CLHLock):
    """Missing release: the mark is taken away too early."""

    def release(self):
        node = yield self.mine[cpu()].load(RELAXED)
        before = yield self.before[cpu()].load(RELAXED)
        yield self.mine[cpu()].store(before, RELAXED)
        yield node.locked.store(0, RELAXED)


class RWReaderNoAcquire(ReaderPreferenceRWLock):
    """Missing acquire: the reader is counted, and reads what was there before the last writer."""

    def read_acquire(self):
        while (yield self.state.fetch_add(1, RELAXED)) < 0:
            yield self.state.fetch_add(-1, RELAXED)
            yield pause()
            while (yield self.state.load(RELAXED)) < 0:
                yield pause()


class RWReaderNoRelease(ReaderPreferenceRWLock):
    """Missing release: the reader's loads may still be under way when a writer comes in."""

    def read_release(self):
        yield self.state.fetch_add(-1, RELAXED)


class RWWriterNoAcquire(ReaderPreferenceRWLock):
    """Missing acquire: the writer builds on values that are not the last."""

    def write_acquire(self):
        while (yield self.state.compare_swap(0, WRITER, RELAXED)) != 0:
            yield pause()
            while (yield self.state.load(RELAXED)) != 0:
                yield pause()


class RWWriterNoRelease(ReaderPreferenceRWLock):
    """Missing release: readers come in before the writer's stores are visible."""

    def write_release(self):
        yield self.state.fetch_and(~WRITER, RELAXED)


class DoorReleasedByAnother(Lock):
    """Release sequence broken: a plain store of the waiter's own stands between the two."""

    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, RELAXED)) != 0:
            yield pause()
        yield self.locked.store(1, RELAXED)
        yield self.locked.load(ACQUIRE)

    def release(self):
        yield self.locked.store(0, RELEASE)


WEAK = [
    Animal(TASNoAcquire, "race"),
    Animal(TASNoRelease, "race"),
    Animal(TASReleaseForAcquire, "race"),
    Animal(TTASNoAcquire, "race"),
    Animal(TTASTryNoAcquire, "race"),
    Animal(TTASFenceTooLate, "race"),
    Animal(TTASWrongFence, "race"),
    Animal(TicketNoAcquire, "race"),
    Animal(TicketNoRelease, "race"),
    Animal(TicketTryNoAcquire, "race"),
    Animal(MCSLinkNoRelease, "deadlock"),
    Animal(MCSTailNoAcquire, "race"),
    Animal(MCSTailNoRelease, "deadlock"),
    Animal(MCSSpinNoAcquire, "race"),
    Animal(MCSHandOverNoRelease, "race"),
    Animal(MCSEmptyNoRelease, "race"),
    Animal(MCSNextNoAcquire, "deadlock"),
    Animal(CLHTailNoRelease, "exclusion"),
    Animal(CLHSpinNoAcquire, "race"),
    Animal(CLHNoRelease, "race"),
    Animal(RWReaderNoAcquire, "race"),
    Animal(RWReaderNoRelease, "race"),
    Animal(RWWriterNoAcquire, "race"),
    Animal(RWWriterNoRelease, "race"),
    Animal(DoorReleasedByAnother, "race"),
]
"""Every lock whose orders are too weak, and what it violates under C11."""
