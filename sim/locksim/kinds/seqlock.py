"""Sequence locks: readers do not exclude writers, they read again."""

from __future__ import annotations

from locksim.core.client import Client
from locksim.kinds.kind import StructKind, offers
from locksim.kinds.load import LoadSettings
from locksim.kinds.rwlock import (
    TORN,
    ReadersAndWritersForEver,
    ReadingAndWriting,
    ReadingAndWritingUnevenly,
    WearingReadersAndWriters,
    mixed,
    unevenly,
)
from locksim.lang import *
from locksim.library.locks.seqlock import SpinSeqLock
from locksim.library.locks.seqrwlock import SeqRWLock
from locksim.library.workloads.blocking_readers import BlockingReaders
from locksim.library.workloads.sequence_readers import SequenceReaders


class SeqLockKind(StructKind):
    """Optimistic readers: ``read_begin/read_retry``, ``write_acquire/write_release``.

    Some also make readers wait: ``read_acquire/read_release``.
    """

    base = SeqLock
    part = "lock"

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

    def wearing(
        self, struct: Struct | type[Struct], rounds: int, on: tuple[int, ...], number: int
    ) -> Workload:
        """Critical sections of each kind that the lock has, a number of its own for each thread."""
        waits = offers(struct, "read_acquire")
        load = WearingAllReadersAndWriters if waits else WearingReadersAgainAndWriters
        return load(lock=struct, rounds=rounds)

    def worn_clients(self, struct: Struct | type[Struct], threads: int) -> list[Client]:
        """The same, and a reader that keeps its number while a writer comes again and again."""
        stays = Client("write beside a reader that stays", StayingReader(lock=struct), means=TORN)
        return [*self.clients(struct, threads, 1), stays]

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


class WearingReadersAgainAndWriters(WearingReadersAndWriters):
    """As WearingReadersAndWriters, but readers read until no writer came by.

    Arguments:
        rounds, think_ps, step, offset: as for :class:`~locksim.kinds.visits.DrawnVisits`.
    """

    lock = part(SpinSeqLock)

    def read(self):
        """Compare the words of one version."""
        while True:
            number = yield from self.lock.read_begin()
            written = yield self.written.load(RELAXED)
            copied = yield self.copied.load(RELAXED)
            if not (yield from self.lock.read_retry(number)):
                assert copied == written
                return


class WearingAllReadersAndWriters(WearingReadersAgainAndWriters):
    """As WearingReadersAgainAndWriters, but in half of the readings the reader waits.

    Arguments:
        rounds, think_ps, step, offset: as for :class:`~locksim.kinds.visits.DrawnVisits`.
    """

    lock = part(SeqRWLock)

    def read(self):
        """Compare the words, in one of the two ways."""
        if random_below(2):
            yield from super().read()
        else:
            yield from self.lock.read_acquire()
            written = yield self.written.load(RELAXED)
            assert (yield self.copied.load(RELAXED)) == written
            yield from self.lock.read_release()


class StayingReader(Workload):
    """Thread 1 reads once, and has begun when thread 0 begins to write for long.

    The reader may stay at each of its steps until any number of writers have gone by. So a number
    that is the same again after some of them is found. Rounds without end would not show it: where
    the number only rises, they have no end.

    Arguments:
        times: writings.
    """

    times = param(320)
    lock = part(SpinSeqLock)
    begun = word()
    data = word()

    def thread(self):
        if thread() == 0:
            while not (yield self.begun.load(ACQUIRE)):
                yield pause()
            for _ in range(self.times):
                yield from self.lock.write_acquire()
                yield self.data.store(1, RELAXED)
                yield from self.lock.write_release()
        elif thread() == 1:
            number = yield from self.lock.read_begin()
            yield self.begun.store(1, RELEASE)
            data = yield self.data.load(RELAXED)
            if not (yield from self.lock.read_retry(number)):
                assert data == 0  # as before the first writer
