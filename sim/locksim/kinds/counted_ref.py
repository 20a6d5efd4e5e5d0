"""Counted references: a lock and a count of references in one struct."""

from __future__ import annotations

from locksim.core.client import Client
from locksim.kinds.kind import offers
from locksim.kinds.load import LoadSettings
from locksim.kinds.lock import LockKind, Wearing
from locksim.lang import *
from locksim.library.locks.lockref import Lockref
from locksim.library.workloads.counted_ref import CountedRefs


class CountedRefKind(LockKind):
    """A lock that counts references too: ``get``, ``put`` and ``references``."""

    base = CountedRef

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """References taken and dropped."""
        return CountedRefs(lock=struct, **settings.paced())

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """A lock's, and references beside the lock."""
        counting = CountedRefs(lock=struct, think_ps=think_ps, lock_percent=20)
        return [*super().test_loads(struct, think_ps), counting]

    def clients(self, struct: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
        """A lock's, and references beside the lock; the last one kept under the lock, if it can."""
        counting, *others = super().clients(struct, threads, rounds)
        loads: dict[str, Workload] = {
            f"get and put; {who} threads begin with the lock": Referring(
                lock=struct, rounds=rounds, shift=shift, threads=threads
            )
            for shift, who in enumerate(("odd", "even"))
        }
        if offers(struct, "put_or_lock"):
            loads["put, or lock the last"] = KeepingTheLast(lock=struct, threads=threads)
        words = {"alive": 0, "ends": 1}
        referring = [Client(name, load, words, tuple(words)) for name, load in loads.items()]
        return [counting, *referring, *others]

    def wearing(
        self, struct: Struct | type[Struct], rounds: int, on: tuple[int, ...], number: int
    ) -> Workload:
        """Critical sections, each with a reference."""
        return WearingReferences(lock=struct, rounds=rounds)


class Referring(Workload):
    """Each thread owns a reference, takes and drops more, and drops its own: one drops the last.

    Other threads hold the lock meanwhile and see the count stand still. The thread that drops the
    last reference has the object alone and ends its life; while any thread has one it must be
    alive. Each thread writes into the object before it drops its own, and the last one sees it.

    Arguments:
        rounds: how often each thread takes another reference or the lock.
        shift: thread t takes the lock in round r if t + r + shift is odd.
        threads: how many there are.
    """

    rounds = param(1)
    shift = param(0)
    threads = param(1)
    lock = part(Lockref)
    alive = word(1)
    ends = word()
    wrote = array("threads", word(plain=True))

    def setup(self):
        """One reference for each thread; the first is there."""
        for _ in range(n_cpus() - 1):
            yield from self.lock.get()

    def thread(self):
        for i in range(self.rounds):
            if (thread() + i + self.shift) % 2 == 0:
                yield from self.lock.get()
                left = yield from self.lock.put()
                assert left > 0
            else:
                yield from self.lock.acquire()
                before = yield from self.lock.references()
                after = yield from self.lock.references()
                assert 0 < before == after
                yield from self.lock.release()
        assert (yield self.alive.load(RELAXED)) == 1
        yield self.wrote[thread()].store(1, RELAXED)
        left = yield from self.lock.put()
        if left == 0:
            left = yield from self.lock.references()
            assert left == 0
            yield from self.end()

    def end(self):
        """End the object's life, with all that was written; no other thread has a reference."""
        for other in range(self.threads):
            assert (yield self.wrote[other].load(RELAXED)) == 1
        yield self.alive.store(0, RELAXED)
        ends = yield self.ends.load(RELAXED)
        yield self.ends.store(ends + 1, RELAXED)


class KeepingTheLast(Referring):
    """Each thread drops its reference; the last one keeps it, and holds the lock.

    Then thread 0, which has none any more, takes the lock.

    Arguments:
        rounds, shift: not used.
        threads: how many there are.
    """

    def thread(self):
        yield self.wrote[thread()].store(1, RELAXED)
        if not (yield from self.lock.put_or_lock()):
            left = yield from self.lock.references()
            assert left == 1
            yield from self.end()
            yield from self.lock.release()
        if thread() == 0:
            yield from self.lock.acquire()
            yield from self.lock.release()


class WearingReferences(Wearing):
    """As Wearing, but a thread has a reference round each section, and thread 0 has many all along.

    At the end only the maker's is left.

    Arguments:
        rounds, think_ps, step, offset: as for :class:`~locksim.kinds.visits.DrawnVisits`.
        many: references of thread 0.
    """

    many = param(300)
    lock = part(Lockref)
    visits = word()
    gone = word()

    def thread(self):
        for _ in range(self.many * (thread() == 0)):
            yield from self.lock.get()
        yield from self.come()
        for _ in range(self.many * (thread() == 0)):
            yield from self.lock.put()
        if (yield self.gone.fetch_add(1)) == n_cpus() - 1:
            left = yield from self.lock.references()
            assert left == 1

    def visit(self):
        """One critical section with a reference."""
        yield from self.lock.get()
        yield from super().visit()
        yield self.visits.fetch_add(1, RELAXED)
        left = yield from self.lock.put()
        assert left > 0
