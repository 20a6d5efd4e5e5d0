"""Reader-writer locks: many readers, or one writer.

In a test client a writer changes two words and a reader compares them; who reads in one client
writes in the other. In one client all readers wait inside for one another: what lets only one in
never ends. Further clients ask about what a lock may offer besides: tries, nested readers,
changing sides.
"""

from __future__ import annotations

from dataclasses import replace

from locksim.core.client import Client
from locksim.kinds.kind import StructKind, offers
from locksim.kinds.load import LoadSettings
from locksim.kinds.lock import TRY_FAULTS
from locksim.kinds.visits import DrawnVisits, uneven
from locksim.lang import *
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.workloads.readers_writers import ReadersWriters

BESIDES = ("read_try_acquire", "write_try_acquire", "downgrade", "try_upgrade")
"""What some locks offer beside the four methods that all have."""
TORN = {"assertion": "torn read"}
"""What a failed assertion is called where readers compare two words."""


class RWLockKind(StructKind):
    """Readers beside readers: ``read_acquire/read_release``, ``write_acquire/write_release``."""

    base = RWLock
    part = "lock"

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """Critical sections of both kinds."""
        share = {"read_percent": settings.read_percent, "words": settings.words}
        return ReadersWriters(lock=struct, **share, **settings.paced())

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """Critical sections of both kinds; and what the lock offers besides, where it has all."""
        loads: list[Workload] = [ReadersWriters(lock=struct, think_ps=think_ps, read_percent=70)]
        if all(offers(struct, method) for method in BESIDES):
            loads.append(TriesAndChanges(lock=struct, think_ps=think_ps))
        return loads

    def clients(self, struct: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
        """Mixtures of reading and writing, readers together, and what the lock offers besides."""
        found = [mixed(ReadingAndWriting, struct, threads, rounds, shift) for shift in (0, 1)]
        found += unevenly(ReadingAndWritingUnevenly, struct, threads, rounds)
        found.append(_meeting("readers meet inside", MeetingReaders(lock=struct)))
        if struct.NESTED_READERS:  # type: ignore[union-attr] # an RWLock
            found += [mixed(ReadingTwice, struct, threads, rounds, s, "nested") for s in (0, 1)]
        found += self._tried(struct, threads)
        return found + self._tries(struct, threads) + self._changes(struct, threads, rounds)

    def wearing(
        self, struct: Struct | type[Struct], rounds: int, on: tuple[int, ...], number: int
    ) -> Workload:
        """Critical sections of both kinds, a number of its own for each thread.

        In even runs few threads write, and for long, so that nearly all others wait as readers.
        """
        return WearingReadersAndWriters(lock=struct, rounds=rounds, writers=2 if number % 2 else 16)

    def _tried(self, struct: Struct | type[Struct], threads: int) -> list[Client]:
        """The last thread comes by tries, beside thread 0's critical sections."""
        found = []
        for side, load in (("read", ReadingByTries), ("write", WritingByTries)):
            if offers(struct, f"{side}_try_acquire"):
                writes = (threads > 1) + (side == "write")
                name = f"read and write; the last tries to {side}"
                found.append(_counted(name, load(lock=struct), writes))
        return found

    def _tries(self, struct: Struct | type[Struct], threads: int) -> list[Client]:
        """A lock that is held by either side, then free, is tried."""
        certain = int(not struct.TRY_MAY_FAIL)  # type: ignore[union-attr] # an RWLock
        found = []
        for side, load in (("read", TryingToRead), ("write", TryingToWrite)):
            if offers(struct, f"{side}_try_acquire"):
                found += [
                    Client(
                        f"try to {side}, while thread 0 {'reads' if reading else 'writes'}",
                        load(lock=struct, reading=reading, certain=certain),
                        means=TRY_FAULTS,
                    )
                    for reading in (0, 1)
                ]
        return found

    def _changes(self, struct: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
        """A writer becomes a reader, a reader the writer."""
        found = []
        if offers(struct, "downgrade"):
            load = Downgrading(lock=struct, rounds=rounds)
            found.append(_counted("write, downgrade", load, threads * rounds))
            meeting = MeetingDowngraded(lock=struct)
            found.append(_meeting("readers meet a downgraded writer", meeting))
        if offers(struct, "try_upgrade"):
            certain = int(not struct.TRY_MAY_FAIL)  # type: ignore[union-attr] # an RWLock
            upgrading = Upgrading(lock=struct, rounds=rounds, certain=certain)
            found.append(_counted("read, upgrade", upgrading, threads * rounds + 1))
        return found

    def endless_clients(self, struct: Struct | type[Struct]) -> list[Client]:
        """Two mixtures of threads that only read and threads that only write."""
        return [
            Client(f"{who} for ever", ReadersAndWritersForEver(lock=struct, shift=shift))
            for shift, who in enumerate(("even threads write", "odd threads write"))
        ]


class ReadingAndWriting(Workload):
    """Threads take turns to write and to read: a writer changes two words, a reader compares them.

    Arguments:
        rounds: critical sections of each thread.
        shift: thread t writes in round r if t + r + shift is even.
    """

    rounds = param(1)
    shift = param(0)
    lock = part(ReaderPreferenceRWLock)
    count = word()
    copy = word()

    def thread(self):
        for i in range(self.rounds):
            yield from self.visit(i)

    def visit(self, i):
        """Write or read."""
        if (thread() + i + self.shift) % 2 == 0:
            yield from self.write()
        else:
            yield from self.read()

    def write(self):
        """Count both words up."""
        yield from self.lock.write_acquire()
        yield from self.count_up()
        yield from self.lock.write_release()

    def count_up(self):
        """As the writer."""
        count = yield self.count.load(RELAXED)
        yield self.count.store(count + 1, RELAXED)
        yield self.copy.store(count + 1, RELAXED)

    def read(self):
        """Compare the words."""
        yield from self.lock.read_acquire()
        yield from self.compare()
        yield from self.lock.read_release()

    def compare(self):
        """As a reader; gives the count."""
        count = yield self.count.load(RELAXED)
        assert (yield self.copy.load(RELAXED)) == count
        return count


class ReadingByTries(ReadingAndWriting):
    """Thread 0 writes and reads; the last thread tries to read, and waits only if that fails.

    Arguments:
        rounds, shift: not used; each of the two comes once, the others stay away.
    """

    def thread(self):
        if thread() == n_cpus() - 1:
            yield from self.visit_by_try()
        elif thread() == 0:
            yield from self.write()
            yield from self.read()

    def visit_by_try(self):
        """Read."""
        got = yield from self.lock.read_try_acquire()
        if got:
            yield from self.compare()
            yield from self.lock.read_release()
        else:
            yield from self.read()


class WritingByTries(ReadingByTries):
    """The same with tries to write.

    Arguments:
        rounds, shift: as for ReadingByTries.
    """

    def visit_by_try(self):
        """Write."""
        got = yield from self.lock.write_try_acquire()
        if got:
            yield from self.count_up()
            yield from self.lock.write_release()
        else:
            yield from self.write()


class ReadingAndWritingUnevenly(ReadingAndWriting):
    """As ReadingAndWriting, but one thread stays away, or comes once more than the others.

    Arguments:
        rounds, shift: as for ReadingAndWriting.
        away, more: as for :class:`~locksim.kinds.visits.Visits`.
    """

    away = param(-1)
    more = param(-1)

    def thread(self):
        if thread() != self.away:
            for i in range(self.rounds + (thread() == self.more)):
                yield from self.visit(i)


class WearingReadersAndWriters(DrawnVisits):
    """Each thread writes and reads a number of times of its own.

    The lock lies where the other clients have it, and there is room for their words.

    Arguments:
        rounds, think_ps, step, offset: as for :class:`~locksim.kinds.visits.DrawnVisits`.
        writers: one visit of so many is a writer's.
    """

    writers = param(2)
    lock = part(ReaderPreferenceRWLock)
    written = word()
    copied = word()
    room = array(64, word())

    def visit(self):
        """Write or read."""
        if random_below(self.writers) == 0:
            yield from self.write()
        else:
            yield from self.read()

    def write(self):
        """Count both words up; the fewer write, the longer."""
        yield from self.lock.write_acquire()
        yield compute(self.writers * self.think_ps)
        written = yield self.written.load(RELAXED)
        yield self.written.store(written + 1, RELAXED)
        yield self.copied.store(written + 1, RELAXED)
        yield from self.lock.write_release()

    def read(self):
        """Compare the words, and stay for a while: many readers are inside together."""
        yield from self.lock.read_acquire()
        yield compute(random_below(self.writers * self.think_ps) + 1)
        written = yield self.written.load(RELAXED)
        assert (yield self.copied.load(RELAXED)) == written
        yield from self.lock.read_release()


class ReadingTwice(ReadingAndWriting):
    """As ReadingAndWriting, but a reader reads once more before it leaves."""

    def read(self):
        """Compare the words inside, and outside of the inner reader."""
        yield from self.lock.read_acquire()
        yield from self.lock.read_acquire()
        yield from self.compare()
        yield from self.lock.read_release()
        yield from self.compare()
        yield from self.lock.read_release()


class MeetingReaders(Workload):
    """All threads read, and leave when all are inside. Thread 0 writes while the others come."""

    lock = part(ReaderPreferenceRWLock)
    begun = word()
    written = word()
    inside = word()

    def thread(self):
        if thread() == 0:
            yield from self.lock.write_acquire()
            yield self.begun.store(1, RELAXED)
            yield self.written.store(1, RELAXED)
            yield from self.change()
        else:
            while not (yield self.begun.load(RELAXED)):
                yield pause()
            yield from self.lock.read_acquire()
            assert (yield self.written.load(RELAXED)) == 1
        yield self.inside.fetch_add(1, RELAXED)
        while (yield self.inside.load(RELAXED)) != n_cpus():
            yield pause()
        yield from self.lock.read_release()

    def change(self):
        """The writer becomes a reader."""
        yield from self.lock.write_release()
        yield from self.lock.read_acquire()


class MeetingDowngraded(MeetingReaders):
    """As MeetingReaders; thread 0 does not leave the lock in between."""

    def change(self):
        """The writer becomes a reader at once."""
        yield from self.lock.downgrade()


class Downgrading(ReadingAndWriting):
    """All threads write, downgrade, and find what they have written.

    Arguments:
        rounds: of each thread. shift: not used.
    """

    def visit(self, i):
        """Write, and read."""
        yield from self.lock.write_acquire()
        yield from self.count_up()
        written = yield from self.compare()
        yield from self.lock.downgrade()
        found = yield from self.compare()
        assert found == written
        yield from self.lock.read_release()


class Upgrading(ReadingAndWriting):
    """All threads read, and write what follows; at the end thread 0 upgrades alone.

    Arguments:
        rounds: of each thread, without the last. shift: not used.
        certain: 1 if the last upgrade must succeed.
    """

    certain = param(1)
    gone = word()

    def thread(self):
        for i in range(self.rounds):
            yield from self.visit(i)
        if thread() == 0:
            while (yield self.gone.load(ACQUIRE)) < n_cpus() - 1:
                yield pause()
            got = yield from self.visit(0)
            assert got or not self.certain
        else:
            yield self.gone.fetch_add(1, RELEASE)

    def visit(self, i):
        """Read, upgrade or come back as a writer, and write; 1 if it could upgrade."""
        yield from self.lock.read_acquire()
        found = yield from self.compare()
        got = yield from self.lock.try_upgrade()
        if got:
            again = yield from self.compare()
            assert again == found
        else:
            yield from self.lock.read_release()
            yield from self.lock.write_acquire()
        yield from self.count_up()
        yield from self.lock.write_release()
        return got


class TryingToWrite(Workload):
    """Thread 0 keeps the lock until the last thread has tried it, and then the lock is free.

    The threads between wait to write meanwhile. So a try that waits, for the holder or for those
    who wait, never ends.

    Arguments:
        reading: 1 if thread 0 reads, 0 if it writes.
        certain: 1 if a try must succeed where nothing is in its way.
    """

    reading = param(0)
    certain = param(1)
    lock = part(ReaderPreferenceRWLock)
    held = word()
    tried = word()
    gone = word()

    def thread(self):
        if thread() == 0:
            yield from self.hold()
            while (yield self.gone.load(ACQUIRE)) < n_cpus() - 1:
                yield pause()
            got = yield from self.attempt()
            assert got or not self.certain
            # What a try leaves behind where it failed would keep a writer out.
            yield from self.lock.write_acquire()
            yield from self.lock.write_release()
        else:
            while not (yield self.held.load(ACQUIRE)):
                yield pause()
            if thread() == n_cpus() - 1:
                got = yield from self.attempt()
                yield from self.judge(got)
                yield self.tried.store(1, RELEASE)
            else:
                yield from self.lock.write_acquire()
                yield from self.lock.write_release()
            yield self.gone.fetch_add(1, RELEASE)

    def hold(self):
        """Have the lock until the try is over."""
        if self.reading:
            yield from self.lock.read_acquire()
        else:
            yield from self.lock.write_acquire()
        yield self.held.store(1, RELEASE)
        while n_cpus() > 1 and not (yield self.tried.load(ACQUIRE)):
            yield pause()
        if self.reading:
            yield from self.lock.read_release()
        else:
            yield from self.lock.write_release()

    def attempt(self):
        """Try, and leave."""
        got = yield from self.lock.write_try_acquire()
        if got:
            yield from self.lock.write_release()
        return got

    def judge(self, got):
        """No thread writes beside a reader or writer."""
        assert not got
        yield pause()


class TryingToRead(TryingToWrite):
    """The same with tries to read.

    Arguments:
        reading, certain: as for TryingToWrite.
    """

    def attempt(self):
        """Try, and leave."""
        got = yield from self.lock.read_try_acquire()
        if got:
            yield from self.lock.read_release()
        return got

    def judge(self, got):
        """Beside a reader one may read; if a writer waits, that is left to the lock."""
        if not self.reading:
            assert not got
        elif n_cpus() == 2:
            assert got or not self.certain
        yield pause()


class TriesAndChanges(Workload):
    """Everything that a lock may offer: a writer that downgrades, a reader that upgrades, tries.

    Arguments:
        think_ps: longest time between two critical sections.
    """

    think_ps = param(1000)
    lock = part(ReaderPreferenceRWLock, padded=True)
    count = word()

    def thread(self):
        while True:
            yield compute(random_below(self.think_ps) + 1)
            if not (yield from self.lock.write_try_acquire()):
                yield pause()
                if not (yield from self.lock.read_try_acquire()):
                    yield from self.lock.read_acquire()
                if not (yield from self.lock.try_upgrade()):
                    yield from self.lock.read_release()
                    yield from self.lock.write_acquire()
            count = yield self.count.load(RELAXED)
            yield self.count.store(count + 1, RELAXED)
            yield from self.lock.downgrade()
            assert (yield self.count.load(RELAXED)) == count + 1
            yield from self.lock.read_release()
            yield done()


class ReadersAndWritersForEver(Workload):
    """Thread t writes if t + shift is even, else it reads; for ever.

    Arguments:
        shift: 0 or 1.
    """

    shift = param(0)
    lock = part(ReaderPreferenceRWLock)

    def thread(self):
        while True:
            if (thread() + self.shift) % 2 == 0:
                yield from self.lock.write_acquire()
                yield from self.lock.write_release()
            else:
                yield from self.lock.read_acquire()
                yield from self.lock.read_release()


def turns(threads: int, rounds: int, shift: int) -> int:
    """In how many of all threads' rounds thread + round + shift is even."""
    return sum((t + i + shift) % 2 == 0 for t in range(threads) for i in range(rounds))


def mixed(
    load: type[ReadingAndWriting],
    struct: Struct | type[Struct],
    threads: int,
    rounds: int,
    shift: int,
    how: str = "",
    *,
    optimistic: bool = False,
) -> Client:
    """A client of readings and writings.

    Arguments:
        load: the workload. shift: thread t writes in round r if t + r + shift is even.
        how: the readers' way, in a word; empty for the usual one.
        optimistic: readers read beside a writer, so the data is atomic.
    """
    writes = turns(threads, rounds, shift)
    readings = f"{threads * rounds - writes} {how}{' ' * bool(how)}readings"
    name = f"{readings}, {writes} writings; thread {shift} writes first"
    workload = load(lock=struct, rounds=rounds, shift=shift)
    return replace(_counted(name, workload, writes, plain=not optimistic), repeats=True)


def unevenly(
    load: type[ReadingAndWritingUnevenly],
    struct: Struct | type[Struct],
    threads: int,
    rounds: int,
    *,
    plain: bool = True,
) -> list[Client]:
    """Clients of readings and writings whose threads come different numbers of times.

    Arguments:
        load: the workload. plain: whether the data is; as for :func:`mixed`.
    """
    found = []
    for visits in uneven(threads):
        come = [visits.of(thread, rounds) for thread in range(threads)]
        writes = sum(
            (thread + i) % 2 == 0 for thread in range(threads) for i in range(come[thread])
        )
        workload = load(lock=struct, rounds=rounds, **visits.settings())
        found.append(_counted(f"read and write; {visits.name}", workload, writes, plain=plain))
    return found


def _counted(name: str, load: Workload, writes: int, *, plain: bool = True) -> Client:
    """A client of a number of writings."""
    words = ("count", "copy")
    return Client(name, load, dict.fromkeys(words, writes), words if plain else (), TORN)


def _meeting(name: str, load: Workload) -> Client:
    """A client whose readers meet, and find what was written before."""
    return Client(name, load, {"written": 1}, ("written",), TORN)
