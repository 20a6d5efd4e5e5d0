"""Broken locks. Each is one change away from a right one; its docstring names the bug."""

from dataclasses import dataclass

from checker.classics import Peterson

from locksim.lang import (
    ACQ_REL,
    ACQUIRE,
    NULL,
    RELAXED,
    RELEASE,
    Lock,
    Struct,
    alloc,
    block,
    cpu,
    free,
    pause,
    percpu,
    pointer,
    thread,
    wake,
    word,
)
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.rwlock import WRITER, ReaderPreferenceRWLock
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.locks.ttas import TTASLock


class TASTestThenSet(TASLock):
    """Check-then-act: the word is read and written by two operations."""

    def acquire(self):
        while (yield self.locked.load(ACQUIRE)) != 0:
            yield pause()
        yield self.locked.store(1, RELAXED)


class TASNeverFree(TASLock):
    """Wrong value: the release leaves the word as it is."""

    def release(self):
        yield self.locked.store(1, RELEASE)


class TASInverted(TASLock):
    """Inverted condition: waits while the lock was free."""

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)) == 0:
            yield pause()


class TTASNoSecondTry(TTASLock):
    """Missing retry: who saw the word free goes in without taking it."""

    def acquire(self):
        if (yield self.locked.compare_swap(0, 1, ACQUIRE)) != 0:
            yield pause()
            while (yield self.locked.load(RELAXED)) != 0:
                yield pause()


class TTASSwappedArguments(TTASLock):
    """Swapped arguments: expects 1 and desires 0."""

    def acquire(self):
        while (yield self.locked.compare_swap(1, 0, ACQUIRE)) != 0:
            yield pause()
            while (yield self.locked.load(RELAXED)) != 0:
                yield pause()


class TicketPlainIncrement(TicketLock):
    """Lost update: the ticket is drawn by a load and a store."""

    def acquire(self):
        ticket = yield self.next_ticket.load(RELAXED)
        yield self.next_ticket.store(ticket + 1, RELAXED)
        while (yield self.now_serving.load(ACQUIRE)) != ticket:
            yield pause()


class TicketSkipsOne(TicketLock):
    """Off by one: the release serves the ticket after the next."""

    def release(self):
        served = yield self.now_serving.load(RELAXED)
        yield self.now_serving.store(served + 2, RELEASE)


class TicketServesNewest(TicketLock):
    """Wrong variable: the release serves the ticket that will be drawn next."""

    def release(self):
        newest = yield self.next_ticket.load(RELAXED)
        yield self.now_serving.store(newest, RELEASE)


class TicketWrongComparison(TicketLock):
    """Wrong comparison: everybody whose turn has not come may enter."""

    def acquire(self):
        ticket = yield self.next_ticket.fetch_add(1, RELAXED)
        while (yield self.now_serving.load(ACQUIRE)) > ticket:
            yield pause()


class TicketTryDraws(TicketLock):
    """Missing undo: a try that fails has drawn a ticket, and nobody will use it."""

    def try_acquire(self):
        ticket = yield self.next_ticket.fetch_add(1, RELAXED)
        return (yield self.now_serving.load(ACQUIRE)) == ticket


class TTASTryLooksOnly(TTASLock):
    """Missing write: a try says yes where the lock looked free."""

    def try_acquire(self):
        return (yield self.locked.load(ACQUIRE)) == 0


class MCSStaleNext(MCSLock):
    """Missing initialisation: the node keeps its last successor."""

    def acquire(self):
        node = self.nodes[cpu()]
        before = yield self.tail.swap(node, ACQ_REL)
        if before:
            yield node.locked.store(1, RELAXED)
            yield before.next.store(node, RELEASE)
            while (yield node.locked.load(ACQUIRE)) != 0:
                yield pause()


class MCSLockedTooLate(MCSLock):
    """Wrong order: linked in first, then "locked = 1", which may overwrite the hand-over."""

    def acquire(self):
        node = self.nodes[cpu()]
        yield node.next.store(NULL, RELAXED)
        before = yield self.tail.swap(node, ACQ_REL)
        if before:
            yield before.next.store(node, RELEASE)
            yield node.locked.store(1, RELAXED)
            while (yield node.locked.load(ACQUIRE)) != 0:
                yield pause()


class MCSNoWaitForLink(MCSLock):
    """Missing wait: the release follows a link that is not there yet."""

    def release(self):
        node = self.nodes[cpu()]
        after = yield node.next.load(ACQUIRE)
        if not after:
            if (yield self.tail.compare_swap(node, NULL, RELEASE)) == node:
                return
            after = yield node.next.load(ACQUIRE)
        yield after.locked.store(0, RELEASE)


class MCSForgetsSuccessor(MCSLock):
    """Missing check: the release takes the queue for empty because no link is there yet."""

    def release(self):
        node = self.nodes[cpu()]
        after = yield node.next.load(ACQUIRE)
        if not after:
            yield self.tail.store(NULL, RELEASE)
            return
        yield after.locked.store(0, RELEASE)


class MCSTwoStepEnqueue(MCSLock):
    """Check-then-act: the tail is read and written by two operations."""

    def acquire(self):
        node = self.nodes[cpu()]
        yield node.next.store(NULL, RELAXED)
        before = yield self.tail.load(ACQUIRE)
        yield self.tail.store(node, RELEASE)
        if before:
            yield node.locked.store(1, RELAXED)
            yield before.next.store(node, RELEASE)
            while (yield node.locked.load(ACQUIRE)) != 0:
                yield pause()


class RWReaderStays(ReaderPreferenceRWLock):
    """Missing undo: a reader that fails leaves its 1 in the count, and no writer comes in again."""

    def read_acquire(self):
        while (yield self.state.fetch_add(1, ACQUIRE)) < 0:
            yield pause()
            while (yield self.state.load(RELAXED)) < 0:
                yield pause()


class RWWriterClearsAll(ReaderPreferenceRWLock):
    """Too wide a store: the writer's release wipes out readers that are on their way."""

    def write_release(self):
        yield self.state.store(0, RELEASE)


class RWWriterIgnoresReaders(ReaderPreferenceRWLock):
    """Wrong condition: the writer looks for other writers only."""

    def write_acquire(self):
        while (yield self.state.fetch_or(WRITER, ACQUIRE)) < 0:
            yield pause()


class RWReaderLooksFirst(ReaderPreferenceRWLock):
    """Check-then-act: the reader looks for a writer, and counts itself in later."""

    def read_acquire(self):
        while (yield self.state.load(RELAXED)) < 0:
            yield pause()
        yield self.state.fetch_add(1, ACQUIRE)


class PetersonPolite(Peterson):
    """Wrong order: gives way first and announces itself afterwards."""

    def acquire(self):
        me = thread()
        yield self.turn.store(1 - me, RELAXED)
        yield self.wants[me].store(1, RELAXED)
        while (yield self.wants[1 - me].load(RELAXED)):
            if (yield self.turn.load(RELAXED)) == me:
                return
            yield pause()


class PetersonSelfish(Peterson):
    """Wrong value: gives the turn to itself."""

    def acquire(self):
        me = thread()
        yield self.wants[me].store(1, RELAXED)
        yield self.turn.store(me, RELAXED)
        while (yield self.wants[1 - me].load(RELAXED)):
            if (yield self.turn.load(RELAXED)) == me:
                return
            yield pause()


class SleepingLock(Lock):
    """Right: one waiter at a time may sleep; who leaves wakes it. For two threads."""

    locked = word()
    sleeper = word(-1)

    def acquire(self):
        while (yield self.locked.swap(1)) != 0:
            yield self.sleeper.store(thread())
            if (yield self.locked.load()) != 0:
                yield block()

    def release(self):
        yield self.locked.store(0)
        sleeper = yield self.sleeper.swap(-1)
        if sleeper >= 0:
            yield wake(sleeper)


class SleepingLostWakeUp(SleepingLock):
    """Lost wake-up: the waiter goes to sleep without looking at the lock once more."""

    def acquire(self):
        while (yield self.locked.swap(1)) != 0:
            yield self.sleeper.store(thread())
            yield block()


class HeapNode(Struct):
    """A waiter's node, from the heap."""

    next = pointer("HeapNode")
    locked = word()


class HeapMCS(Lock):
    """Right: MCS whose nodes are allocated for each acquisition."""

    tail = pointer(HeapNode)
    mine = percpu(pointer(HeapNode))

    def acquire(self):
        node = yield alloc(HeapNode)
        yield self.mine[cpu()].store(node, RELAXED)
        yield node.locked.store(1, RELAXED)
        before = yield self.tail.swap(node, ACQ_REL)
        if before:
            yield before.next.store(node, RELEASE)
            while (yield node.locked.load(ACQUIRE)) != 0:
                yield pause()

    def release(self):
        node = yield self.mine[cpu()].load(RELAXED)
        if (yield self.tail.compare_swap(node, NULL, RELEASE)) != node:
            after = yield node.next.load(ACQUIRE)
            while not after:
                yield pause()
                after = yield node.next.load(ACQUIRE)
            yield after.locked.store(0, RELEASE)
        yield free(node)


class HeapMCSUseAfterFree(HeapMCS):
    """Use after free: the node goes back before a successor has linked itself to it."""

    def release(self):
        node = yield self.mine[cpu()].load(RELAXED)
        after = yield node.next.load(ACQUIRE)
        if (yield self.tail.compare_swap(node, NULL, RELEASE)) != node:
            yield free(node)
            while not after:
                yield pause()
                after = yield node.next.load(ACQUIRE)
            yield after.locked.store(0, RELEASE)
            return
        yield free(node)


class HeapMCSDoubleFree(HeapMCS):
    """Double free: both the old and the new holder give the node back."""

    def release(self):
        node = yield self.mine[cpu()].load(RELAXED)
        if (yield self.tail.compare_swap(node, NULL, RELEASE)) != node:
            after = yield node.next.load(ACQUIRE)
            while not after:
                yield pause()
                after = yield node.next.load(ACQUIRE)
            yield free(node)
            yield after.locked.store(0, RELEASE)
        yield free(node)


@dataclass(frozen=True)
class Animal:
    """A broken lock and how it shows.

    Arguments:
        lock: the class. found: the property that it violates first.
        threads, rounds: the smallest client that shows it.
        types: what it allocates.
        weakly: what it violates first under C11, if that is something else.
    """

    lock: type[Struct]
    found: str
    threads: int = 2
    rounds: int = 1
    types: tuple[type[Struct], ...] = ()
    weakly: str = ""


ZOO = [
    Animal(TASTestThenSet, "exclusion"),
    Animal(TASNeverFree, "deadlock"),
    Animal(TASInverted, "exclusion"),
    Animal(TTASNoSecondTry, "exclusion", threads=3),
    Animal(TTASSwappedArguments, "exclusion"),
    Animal(TicketPlainIncrement, "exclusion"),
    Animal(TicketSkipsOne, "deadlock"),
    Animal(TicketServesNewest, "deadlock"),
    Animal(TicketWrongComparison, "exclusion"),
    Animal(TicketTryDraws, "deadlock"),
    Animal(TTASTryLooksOnly, "exclusion"),
    Animal(MCSStaleNext, "deadlock", rounds=2),
    Animal(MCSLockedTooLate, "deadlock"),
    Animal(MCSNoWaitForLink, "memory"),
    Animal(MCSForgetsSuccessor, "deadlock"),
    Animal(MCSTwoStepEnqueue, "exclusion"),
    Animal(RWReaderStays, "deadlock", rounds=2),
    Animal(RWWriterClearsAll, "deadlock"),
    Animal(RWWriterIgnoresReaders, "exclusion"),
    Animal(RWReaderLooksFirst, "exclusion"),
    Animal(PetersonPolite, "exclusion"),
    Animal(PetersonSelfish, "exclusion"),
    Animal(SleepingLostWakeUp, "deadlock"),
    Animal(HeapMCSUseAfterFree, "memory", types=(HeapNode,)),
    Animal(HeapMCSDoubleFree, "memory", types=(HeapNode,)),
]
"""Every broken lock: violated under every memory model."""

RIGHT = [SleepingLock, HeapMCS]
"""The right ones that are not in the library."""
