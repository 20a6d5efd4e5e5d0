"""Locks: one thread at a time.

The test clients count a word up under the lock. The count is a plain load and a plain store, so
two threads inside at once can lose an update; the marks of the lock's methods also record which
threads are inside.
"""

from __future__ import annotations

from locksim.checker.client import Client
from locksim.kinds.kind import StructKind, offers
from locksim.kinds.load import LoadSettings
from locksim.lang import *
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ttas import TTASLock
from locksim.library.workloads.critical_section import CriticalSection


class LockKind(StructKind):
    """Mutual exclusion: ``acquire`` and ``release``, perhaps ``try_acquire``."""

    base = Lock

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """Critical sections of the given length."""
        return CriticalSection(lock=struct, words=settings.words, **settings.paced())

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """Critical sections; and with tries before them, where the lock can be tried."""
        loads: list[Workload] = [CriticalSection(lock=struct, think_ps=think_ps, words=2)]
        if offers(struct, "try_acquire"):
            loads.append(Tries(lock=struct, think_ps=think_ps))
        return loads

    def clients(self, struct: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
        """Counting under the lock; and with tries before, where the lock can be tried."""
        expect, plain = {"count": threads * rounds}, ("count",)
        counting = Counting(lock=struct, rounds=rounds)
        found = [Client("acquire and count up", counting, expect, plain, repeats=True)]
        if offers(struct, "try_acquire"):
            tries = Trying(lock=struct, rounds=rounds)
            how = "try, else acquire, and count up"
            found.append(Client(how, tries, expect, plain, repeats=True))
        if struct.RECURSIVE:
            nesting = Nesting(lock=struct, rounds=rounds)
            how = "acquire twice, and count up between"
            found.append(Client(how, nesting, expect, plain, repeats=True))
        return found

    def endless_clients(self, struct: Struct | type[Struct]) -> list[Client]:
        """Nothing but the lock."""
        return [Client("acquire and release for ever", AgainAndAgain(lock=struct))]


class Counting(Workload):
    """Every thread: acquire, count up, release; some rounds of that.

    Arguments:
        rounds: critical sections of each thread.
    """

    rounds = param(1)
    lock = part(TASLock)
    count = word()

    def thread(self):
        for _ in range(self.rounds):
            yield from self.enter()
            count = yield self.count.load(RELAXED)
            yield self.count.store(count + 1, RELAXED)
            yield from self.lock.release()

    def enter(self):
        """Get the lock."""
        yield from self.lock.acquire()


class Trying(Counting):
    """As Counting, but every thread tries first, and waits only if that fails: two ways in at once.

    Arguments:
        rounds: critical sections of each thread.
    """

    def enter(self):
        """Get the lock, without waiting if it is free."""
        if not (yield from self.lock.try_acquire()):
            yield from self.lock.acquire()


class Nesting(Counting):
    """As Counting, but the holder enters once more, and counts up when it has left once.

    Arguments:
        rounds: critical sections of each thread.
    """

    def enter(self):
        """Get the lock twice, and leave it once."""
        yield from self.lock.acquire()
        yield from self.lock.acquire()
        yield from self.lock.release()


class AgainAndAgain(Workload):
    """Every thread acquires and releases for ever."""

    lock = part(TASLock)

    def thread(self):
        while True:
            yield from self.lock.acquire()
            yield from self.lock.release()


class Tries(Workload):
    """A lock taken by trying, and by acquire where the try has failed twice.

    Arguments:
        think_ps: longest time between two critical sections.
    """

    think_ps = param(1000)
    lock = part(TTASLock, padded=True)
    count = word()

    def thread(self):
        while True:
            yield compute(random_below(self.think_ps) + 1)
            if not (yield from self.lock.try_acquire()):
                yield pause()
                if not (yield from self.lock.try_acquire()):
                    yield from self.lock.acquire()
            count = yield self.count.load(RELAXED)
            yield self.count.store(count + 1, RELAXED)
            yield from self.lock.release()
            yield done()
