"""The clients of sequence locks and counted references catch what such locks can get wrong."""

import pytest
from kinds.wear import used

from locksim.checker import check_lock
from locksim.checker.check import check_clients
from locksim.checker.question import Question
from locksim.kinds import kind_of
from locksim.kinds.checking import clients_of
from locksim.lang import ACQUIRE, RELAXED, RELEASE, CountedRef, SeqLock, param, pause, word
from locksim.library.locks.lockref import Lockref
from locksim.library.locks.lockref_spinlock import SpinlockRef
from locksim.library.locks.seqlock import SpinSeqLock
from locksim.library.locks.seqlock_exclusive import ExclusiveReaderSeqLock
from locksim.library.locks.seqrwlock import SeqRWLock


class NeverAgain(SpinSeqLock):
    """Wrong: a reader does not notice that a writer came by."""

    def read_retry(self, number):
        yield pause()
        return 0


class EvenInside(SpinSeqLock):
    """Wrong: the number is even while a writer is in."""

    def write_begin(self):
        number = yield self.sequence.load(RELAXED)
        yield self.sequence.store(number + 2, RELAXED)

    def write_end(self):
        yield pause()


class LateBegin(SpinSeqLock):
    """Wrong: the number is counted up twice at the end."""

    def write_begin(self):
        yield pause()

    def write_end(self):
        number = yield self.sequence.load(RELAXED)
        yield self.sequence.store(number + 2, RELEASE)


class WritersTogether(SeqLock):
    """Wrong: nothing keeps a writer from another."""

    sequence = word()

    def read_begin(self):
        number = yield self.sequence.load(ACQUIRE)
        return number

    def read_retry(self, number):
        now = yield self.sequence.load(ACQUIRE)
        return now != number or number & 1

    def write_acquire(self):
        yield self.sequence.fetch_add(1)

    def write_release(self):
        yield self.sequence.fetch_add(1)


class NobodyBlocks(SpinSeqLock):
    """Wrong: the blocking reader waits until the number is even, and keeps nobody out."""

    def read_acquire(self):
        yield from self.read_begin()

    def read_release(self):
        yield pause()


class StuckOdd(SpinSeqLock):
    """Wrong: the writer forgets to make the number even again."""

    def write_begin(self):
        number = yield self.sequence.load(RELAXED)
        yield self.sequence.store(number | 1, RELAXED)

    def write_end(self):
        yield pause()


class PlainCount(Lockref):
    """Wrong: a reference is taken by a load and a store."""

    def get(self):
        value = yield self.lock_count.load(RELAXED)
        yield self.lock_count.store(value + (1 << 32), RELAXED)


class CountsBesideTheLock(CountedRef):
    """Wrong: the count changes while somebody holds the lock."""

    locked = word()
    count = word(1)

    def get(self):
        yield self.count.fetch_add(1, RELAXED)

    def put(self):
        count = yield self.count.fetch_add(-1, RELEASE)
        return count - 1

    def references(self):
        count = yield self.count.load(RELAXED)
        return count

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.locked.store(0, RELEASE)


class KeepsOne(SpinlockRef):
    """Wrong: the last reference is never dropped."""

    def put(self):
        yield from self.acquire()
        count = yield self.count.load(RELAXED)
        if count > 1:
            count -= 1
            yield self.count.store(count, RELAXED)
        yield from self.release()
        return count


class FewNumbers(SpinSeqLock):
    """The number comes round: right if the bits suffice."""

    bits = param(3)

    def write_end(self):
        number = yield self.sequence.load(RELAXED)
        yield self.sequence.store((number + 1) & ((1 << self.bits) - 1), RELEASE)


WRONG = {
    NeverAgain: "assertion",
    EvenInside: "assertion",
    LateBegin: "assertion",
    WritersTogether: "exclusion",
    NobodyBlocks: "exclusion",
    StuckOdd: "deadlock",
    PlainCount: "assertion",
    CountsBesideTheLock: "assertion",
    KeepsOne: "assertion",
}


@pytest.mark.parametrize("lock", WRONG, ids=lambda lock: lock.__name__)
def test_wrong_locks_are_caught(lock):
    """Each with two threads of two rounds, by the property that it violates."""
    verdict = check_lock(lock, threads=2, rounds=2)
    assert ("violated", WRONG[lock]) == (verdict.verdict, verdict.found)


def test_a_blocking_reader_is_tested_only_where_there_is_one():
    """All read optimistically; in two more clients readers block, if the lock's readers can."""
    loads = {
        lock: [type(client.workload).__name__ for client in clients_of(lock, 3, 2)]
        for lock in (SpinSeqLock, SeqRWLock)
    }
    optimistic = ["ReadingAgain"] * 2 + ["ReadingAgainUnevenly"] * 2
    assert {SpinSeqLock: optimistic, SeqRWLock: optimistic + ["ReadingAndWriting"] * 2} == loads


def test_exclusive_readers_exclude_each_other():
    """What seqrwlock allows seqlock_exclusive's marks forbid: two locking readers at once."""

    class Together(ExclusiveReaderSeqLock):
        def write_acquire(self):
            yield from self.lock.acquire()
            yield from self.write_begin()

        def read_acquire(self):
            while (yield self.sequence.load(ACQUIRE)) & 1:
                yield pause()

        def read_release(self):
            yield pause()

    verdict = check_lock(Together, threads=3, rounds=1)
    assert ("violated", "exclusion") == (verdict.verdict, verdict.found)


@pytest.mark.parametrize("lock", [Lockref, SpinlockRef])
def test_counted_references_have_clients_of_both_kinds(lock):
    """They are locks, and count: each client has a name of its own."""
    found = clients_of(lock, 2, 2)
    assert {"Counting", "Trying", "Referring"} <= {type(c.workload).__name__ for c in found}
    assert len(found) == len({c.name for c in found})


def test_lockref_falls_back_on_the_lock():
    """Without a single try by compare-and-swap it is right all the same."""
    verdict = check_lock(Lockref(retries=0), threads=2, rounds=1, memory="tso")
    assert "proven" == verdict.verdict


@pytest.mark.parametrize(
    ("lock", "verdict"), [(SeqRWLock, "violated"), (ExclusiveReaderSeqLock, "proven")]
)
def test_readers_that_wait_may_starve_writers(lock: type[SeqLock], verdict: str) -> None:
    """Not where all who wait stand in one queue."""
    assert verdict == check_lock(lock, threads=2, property="starvation").verdict


@pytest.mark.parametrize(
    ("bits", "verdict"), [(2, "violated"), (3, "violated"), (9, "violated"), (16, "proven")]
)
def test_a_number_that_comes_round_is_found(bits: int, verdict: str) -> None:
    """A reader stays while it does; 16 bits are enough for that."""
    lock = FewNumbers(bits=bits)
    *_, staying = kind_of(lock).worn_clients(lock, 2)
    assert verdict == check_clients([staying], Question(threads=2)).verdict


@pytest.mark.parametrize("lock", [SpinSeqLock, SeqRWLock, ExclusiveReaderSeqLock])
def test_sequence_locks_are_used_and_proven_from_there(lock: type[SeqLock]) -> None:
    """Readers of all kinds and writers of eight CPUs; the number stays where they left it."""
    left = used(lock, rounds=20)
    written = left.words["written"]
    assert (2 * written, 0) == (left.words["lock.sequence"], left.violations)
    assert 0 < written == left.words["copied"]
    found = check_clients(kind_of(lock).worn_clients(lock, 2), Question(threads=2, used=left.used))
    assert "proven" == found.verdict
