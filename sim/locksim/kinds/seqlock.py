"""Sequence locks: readers do not exclude writers, they read again."""

from __future__ import annotations

from locksim.core.client import Client
from locksim.kinds.kind import StructKind, offers
from locksim.kinds.load import LoadSettings
from locksim.kinds.rwlock import (
    ReadersAndWritersForEver,
    ReadingAndWriting,
    ReadingAndWritingUnevenly,
    mixed,
    unevenly,
)
from locksim.lang import *
from locksim.library.locks.seqlock import SpinSeqLock
from locksim.library.workloads.blocking_readers import BlockingReaders
from locksim.library.workloads.sequence_readers import SequenceReaders


class SeqLockKind(StructKind):
    """Optimistic readers: ``read_begin/read_retry``, ``write_acquire/write_release``.

    Some also make readers wait: ``read_acquire/read_release``.
    """

    base = SeqLock

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """Optimistic readings and writings."""
        share = {"read_percent": settings.read_percent, "words": settings.words}
        return SequenceReaders(lock=struct, **share, **settings.paced())

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """Readings and writings; readers wait in half of the readings, if they can."""
        load = BlockingReaders if offers(struct, "read_acquire") else SequenceReaders
        return [load(lock=struct, think_ps=think_ps, read_percent=70)]

    def clients(self, struct: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
        """Two mixtures with optimistic readers; two with readers that wait, if they can."""
        both = (0, 1)
        found = [
            mixed(ReadingAgain, struct, threads, rounds, shift, "optimistic", optimistic=True)
            for shift in both
        ]
        found += unevenly(ReadingAgainUnevenly, struct, threads, rounds, plain=False)
        if offers(struct, "read_acquire"):
            found += [mixed(ReadingAndWriting, struct, threads, rounds, s) for s in both]
        return found

    def endless_clients(self, struct: Struct | type[Struct]) -> list[Client]:
        """Readers that wait, if they can, and writers.

        An optimistic reader keeps a number from which writers move away without bound: such a check
        has no end.
        """
        if not offers(struct, "read_acquire"):
            return []
        return [
            Client(f"{who} for ever", ReadersAndWritersForEver(lock=struct, shift=shift))
            for shift, who in enumerate(("even threads write", "odd threads write"))
        ]


class ReadingAgain(ReadingAndWriting):
    """As ReadingAndWriting, but a reader reads until no writer came by, and compares then.

    Arguments:
        rounds, shift: as for ReadingAndWriting.
    """

    lock = part(SpinSeqLock)

    def read(self):
        """One reading, as often as it takes."""
        while True:
            number = yield from self.lock.read_begin()
            count = yield self.count.load(RELAXED)
            copy = yield self.copy.load(RELAXED)
            if not (yield from self.lock.read_retry(number)):
                assert count == copy
                return


class ReadingAgainUnevenly(ReadingAgain, ReadingAndWritingUnevenly):
    """As ReadingAgain, but one thread stays away, or comes once more than the others.

    Arguments:
        rounds, shift: as for ReadingAndWriting.
        away, more: as for :class:`~locksim.kinds.visits.Visits`.
    """
