"""Locks: one thread at a time.

The test clients count a word up under the lock. The count is a plain load and a plain store, so
two threads inside at once can lose an update; the marks of the lock's methods also record which
threads are inside.
"""

from __future__ import annotations

from locksim.core.client import Client
from locksim.kinds.kind import StructKind, offers
from locksim.kinds.load import LoadSettings
from locksim.kinds.visits import DrawnVisits, uneven
from locksim.lang import *
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ttas import TTASLock
from locksim.library.workloads.critical_section import CriticalSection

TRY_FAULTS = {"assertion": "a try takes a lock that is held, or none that is free"}
"""What a failed assertion is called where tries are asked about."""


class LockKind(StructKind):
    """Mutual exclusion: ``acquire`` and ``release``, perhaps ``try_acquire``."""

    base = Lock
    part = "lock"

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
        """Counting under the lock, equally often and not; and tries, where the lock has them."""
        expect, plain = {"count": threads * rounds}, ("count",)
        counting = Counting(lock=struct, rounds=rounds)
        found = [Client("acquire and count up", counting, expect, plain, repeats=True)]
        tried = offers(struct, "try_acquire")
        if tried:
            tries = Trying(lock=struct, rounds=rounds)
            how = "try, else acquire, and count up"
            found.append(Client(how, tries, expect, plain, repeats=True))
        for visits in uneven(threads):
            load = CountingUnevenly(lock=struct, rounds=rounds, **visits.settings())
            sections = sum(visits.of(thread, rounds) for thread in range(threads))
            name = f"acquire and count up; {visits.name}"
            found.append(Client(name, load, {"count": sections}, plain))
        if tried:
            certain = int(not struct.TRY_MAY_FAIL)  # type: ignore[union-attr] # a Lock
            holding = TryingAHeldLock(lock=struct, certain=certain)
            found.append(Client("try a lock that is held, then free", holding, means=TRY_FAULTS))
        if struct.RECURSIVE:
            nesting = Nesting(lock=struct, rounds=rounds)
            how = "acquire twice, and count up between"
            found.append(Client(how, nesting, expect, plain, repeats=True))
        return found

    def wearing(
        self, struct: Struct | type[Struct], rounds: int, on: tuple[int, ...], number: int
    ) -> Workload:
        """Critical sections, a number of its own for each thread."""
        return Wearing(lock=struct, rounds=rounds)

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
            yield from self.visit()

    def visit(self):
        """One critical section."""
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


class CountingUnevenly(Counting):
    """As Counting, but one thread stays away, or comes once more than the others.

    Arguments:
        rounds: critical sections of each other thread.
        away, more: as for :class:`~locksim.kinds.visits.Visits`.
    """

    away = param(-1)
    more = param(-1)

    def thread(self):
        if thread() != self.away:
            for _ in range(self.rounds + (thread() == self.more)):
                yield from self.visit()


class TryingAHeldLock(Workload):
    """Thread 0 keeps the lock until the last thread has tried it, and tries it when all are gone.

    The threads between wait for the lock meanwhile. So a try that waits, for the holder or for
    those who wait, never ends.

    Arguments:
        certain: 1 if a try must take a lock that is free.
    """

    certain = param(1)
    lock = part(TTASLock)
    held = word()
    tried = word()
    gone = word()

    def thread(self):
        if thread() == 0:
            yield from self.take()
            yield self.held.store(1, RELEASE)
            while n_cpus() > 1 and not (yield self.tried.load(ACQUIRE)):
                yield pause()
            yield from self.lock.release()
            while (yield self.gone.load(ACQUIRE)) < n_cpus() - 1:
                yield pause()
            yield from self.take()
            yield from self.lock.release()
        else:
            while not (yield self.held.load(ACQUIRE)):
                yield pause()
            if thread() == n_cpus() - 1:
                got = yield from self.lock.try_acquire()
                assert not got
                yield self.tried.store(1, RELEASE)
            else:
                yield from self.lock.acquire()
                yield from self.lock.release()
            yield self.gone.fetch_add(1, RELEASE)

    def take(self):
        """Get the lock, which is free: by a try, if that must succeed."""
        got = yield from self.lock.try_acquire()
        if not got:
            assert not self.certain
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


class Wearing(Counting, DrawnVisits):
    """As Counting, but each thread comes a number of times of its own.

    The lock lies where the other clients have it, and there is room for their words.

    Arguments:
        rounds, think_ps, step, offset: as for :class:`~locksim.kinds.visits.DrawnVisits`.
    """

    room = array(64, word())

    def thread(self):
        yield from self.come()


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
