"""Reader-writer locks: many readers, or one writer.

In a test client a writer changes two words and a reader compares them; who reads in one client
writes in the other.
"""

from __future__ import annotations

from locksim.checker.client import Client
from locksim.kinds.kind import StructKind
from locksim.kinds.load import LoadSettings
from locksim.lang import *
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.workloads.readers_writers import ReadersWriters

TORN = {"assertion": "torn read"}
"""What a failed assertion is called where readers compare two words."""


class RWLockKind(StructKind):
    """Readers beside readers: ``read_acquire/read_release``, ``write_acquire/write_release``."""

    base = RWLock

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """Critical sections of both kinds."""
        share = {"read_percent": settings.read_percent, "words": settings.words}
        return ReadersWriters(lock=struct, **share, **settings.paced())

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """Critical sections of both kinds."""
        return [ReadersWriters(lock=struct, think_ps=think_ps, read_percent=70)]

    def clients(self, struct: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
        """Two mixtures of reading and writing."""
        return [mixed(ReadingAndWriting, struct, threads, rounds, shift) for shift in (0, 1)]

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
            if (thread() + i + self.shift) % 2 == 0:
                yield from self.write()
            else:
                yield from self.read()

    def write(self):
        """Count both words up."""
        yield from self.lock.write_acquire()
        count = yield self.count.load(RELAXED)
        yield self.count.store(count + 1, RELAXED)
        yield self.copy.store(count + 1, RELAXED)
        yield from self.lock.write_release()

    def read(self):
        """Compare the words."""
        yield from self.lock.read_acquire()
        count = yield self.count.load(RELAXED)
        assert (yield self.copy.load(RELAXED)) == count
        yield from self.lock.read_release()


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
) -> Client:
    """A client of readings and writings; its data is atomic if the readers are optimistic.

    Arguments:
        load: the workload. shift: thread t writes in round r if t + r + shift is even.
        how: the readers' way, in a word; empty if they exclude writers.
    """
    writes = turns(threads, rounds, shift)
    readings = f"{threads * rounds - writes} {how}{' ' * bool(how)}readings"
    name = f"{readings}, {writes} writings; thread {shift} writes first"
    workload = load(lock=struct, rounds=rounds, shift=shift)
    plain = () if how else ("count", "copy")
    return Client(name, workload, {"count": writes, "copy": writes}, plain, TORN, repeats=True)
