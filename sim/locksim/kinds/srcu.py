"""Sleepable RCU: readers may give up their CPU; each struct is a domain of its own."""

from __future__ import annotations

from locksim.core.client import Client
from locksim.kinds.kind import StructKind
from locksim.kinds.load import LoadSettings
from locksim.kinds.rcu import Replacing, ReplacingBesideNested, nested, replacing
from locksim.lang import *
from locksim.library.locks.srcu import SRCU
from locksim.library.workloads.srcu_readers import SrcuReaders


class SrcuKind(StructKind):
    """``read_lock/read_unlock`` with a rank, and ``synchronize_srcu``."""

    base = SleepableRCU
    unit = "readings and replacements"

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """Readings and replacements of a published object."""
        return SrcuReaders(lock=struct, read_percent=settings.read_percent, **settings.paced())

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """Readers and writers that wait."""
        return [SrcuReaders(lock=struct, think_ps=think_ps, read_percent=80)]

    def clients(self, struct: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
        """Two mixtures of reading and replacing, and nested readers."""
        load = ReplacingAmongSleepers
        found = [replacing(load, struct, threads, rounds, shift) for shift in (0, 1)]
        return found + nested(ReplacingBesideSleepers, struct, threads, rounds)


class ReplacingAmongSleepers(Replacing):
    """The same with sleepable RCU. A reader also writes into the box: all it did must be over."""

    lock = part(SRCU)

    def between(self):
        """There are no quiescent states."""
        yield pause()

    def end(self):
        """No thread waits for one that is outside."""
        yield pause()

    def grace_period(self):
        """Wait for all readers that are inside."""
        yield from self.lock.synchronize_srcu()

    def read(self):
        """Look into the box, and leave a trace there."""
        rank = yield from self.lock.read_lock()
        box = yield self.shared.load(ACQUIRE)
        assert (yield box.value.load(RELAXED)) == 1
        yield box.reader.store(thread(), RELAXED)
        yield from self.lock.read_unlock(rank)


class ReplacingBesideSleepers(ReplacingBesideNested, ReplacingAmongSleepers):
    """The last thread reads, and reads once more inside; thread 0 replaces.

    Arguments:
        rounds: readings and replacements. shift: not used.
    """

    def read(self):
        """Look into the box when the inner reader is over, and leave a trace there."""
        rank = yield from self.lock.read_lock()
        box = yield self.shared.load(ACQUIRE)
        inner = yield from self.lock.read_lock()
        yield from self.lock.read_unlock(inner)
        assert (yield box.value.load(RELAXED)) == 1
        yield box.reader.store(thread(), RELAXED)
        yield from self.lock.read_unlock(rank)
