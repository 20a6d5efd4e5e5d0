"""Counted references that many CPUs have used: what such a run leaves, and what it catches."""

import pytest
from kinds.verdicts import verdict_of
from kinds.wear import used

from locksim.checker.check import check_clients
from locksim.checker.question import Question
from locksim.core.result import SimulationError
from locksim.kinds.checking import clients_of
from locksim.lang import ACQUIRE, RELAXED, RELEASE, CountedRef, pause, word
from locksim.library.locks.lockref import ONE, Lockref
from locksim.library.locks.lockref_spinlock import SpinlockRef


class LosesAPut(SpinlockRef):
    """Wrong from the 40th put on, which no proof with two threads reaches: one put is lost."""

    puts = word()

    def put(self):
        yield from self.acquire()
        puts = yield self.puts.load(RELAXED)
        yield self.puts.store(puts + 1, RELAXED)
        count = yield self.count.load(RELAXED)
        if puts != 40:
            yield self.count.store(count - 1, RELAXED)
        yield from self.release()
        return count - 1


class NoReferences(Lockref):
    """Wrong: the count is always 0."""

    def references(self):
        yield pause()
        return 0


class OneReference(Lockref):
    """Wrong: the count is always 1."""

    def references(self):
        yield pause()
        return 1


class GetsWithoutTheLock(SpinlockRef):
    """Wrong: a reference is taken by a load and a store."""

    def get(self):
        count = yield self.count.load(RELAXED)
        yield self.count.store(count + 1, RELAXED)


class Last(Lockref):
    """Puts a reference by the swap that finds others; locks by the swap that finds the last one."""

    def put_or_lock(self):
        while True:
            old = yield self.lock_count.load(RELAXED)
            if old & 1:
                yield pause()
            elif old == ONE:
                if (yield self.lock_count.compare_swap(old, old + 1, ACQUIRE)) == old:
                    return 0
            elif (yield self.lock_count.compare_swap(old, old - ONE, RELEASE)) == old:
                return 1


class LastInOneStore(Lockref):
    """Puts a reference and gives the lock back by one store, and not by release()."""

    def put_or_lock(self):
        yield from self.acquire()
        old = yield self.lock_count.load(RELAXED)
        if old // ONE == 1:
            return 0
        yield self.lock_count.store(old - ONE - 1, RELEASE)
        return 1


class LastWithoutTheLock(Last):
    """Wrong: it says that it holds the lock."""

    def put_or_lock(self):
        yield pause()
        return 0


class LastUnlocked(Last):
    """Wrong: who finds the last reference does not take the lock."""

    def put_or_lock(self):
        while True:
            old = yield self.lock_count.load(RELAXED)
            if old == ONE:
                return 0
            if not old & 1 and (yield self.lock_count.compare_swap(old, old - ONE, RELEASE)) == old:
                return 1
            yield pause()


class NeverTheLast(Last):
    """Wrong: no thread learns that its reference is the last one."""

    def put_or_lock(self):
        yield pause()
        return 1


class PutRelaxed(Lockref):
    """Wrong: a put does not say when the object was written."""

    def put(self):
        while True:
            old = yield self.lock_count.load(RELAXED)
            if old & 1:
                yield pause()
            elif (yield self.lock_count.compare_swap(old, old - ONE, ACQUIRE)) == old:
                return old // ONE - 1


class PutOrLockRelaxed(Last):
    """Wrong: the same where the last one is locked."""

    def put_or_lock(self):
        while True:
            old = yield self.lock_count.load(RELAXED)
            if old & 1:
                yield pause()
            elif old == ONE:
                if (yield self.lock_count.compare_swap(old, old + 1, ACQUIRE)) == old:
                    return 0
            elif (yield self.lock_count.compare_swap(old, old - ONE, RELAXED)) == old:
                return 1


@pytest.mark.parametrize(
    ("reference", "client"), [(PutRelaxed, "get and put"), (PutOrLockRelaxed, "put, or lock")]
)
def test_the_last_one_sees_what_was_written_before_each_put(reference, client) -> None:
    """A thread writes into the object and drops its reference, which releases."""
    assert "proven" == verdict_of(reference, client, memory="tso")
    assert "race" == verdict_of(reference, client, memory="c11")


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize(
    ("reference", "wanted"),
    [
        *((right, "proven") for right in (Lockref, Last, LastInOneStore)),
        (LastUnlocked, "exclusion"),
        *((wrong, "assertion") for wrong in (LastWithoutTheLock, NeverTheLast)),
    ],
)
def test_put_or_lock_holds_the_lock_where_it_gives_0(
    reference: type[CountedRef], wanted: str, memory: str
) -> None:
    """However it takes and gives back the lock on the way."""
    assert wanted == verdict_of(reference, "put, or lock the last", memory=memory)


@pytest.mark.parametrize(
    ("reference", "name", "one"), [(Lockref, "lock_count", ONE), (SpinlockRef, "count", 1)]
)
def test_the_makers_reference_is_left(reference, name, one) -> None:
    """Each section had its reference, and all of these were dropped."""
    left = used(reference)
    assert one == left.words[f"lock.{name}"]
    assert left.violations == 0 < left.words["visits"] == left.words["count"] <= left.acquired


def test_a_proof_begins_there() -> None:
    """The setup of a client takes the references that it begins with, in that memory."""
    left = used(Lockref)
    for client in clients_of(Lockref, 2, 1):
        assert check_clients([client], Question(threads=2, used=left.used)).is_proof()


def test_a_lost_put_is_found_at_the_end() -> None:
    """The proof from fresh memory passes; the run finds a reference too many."""
    fresh = check_clients(clients_of(LosesAPut, 2, 1), Question(threads=2))
    assert "proven" == fresh.verdict
    with pytest.raises(SimulationError, match="an assertion failed"):
        used(LosesAPut)


@pytest.mark.parametrize("reference", [NoReferences, OneReference])
def test_a_count_that_never_changes_is_found(reference: type[CountedRef]) -> None:
    """While a thread has a reference it is above 0, and 0 when the last one is dropped."""
    assert "assertion" == verdict_of(reference, "get and put")


def test_a_lost_get_is_found_on_the_way() -> None:
    """A count that lost a get reaches 0 while threads have references."""
    with pytest.raises(SimulationError, match="an assertion failed"):
        used(GetsWithoutTheLock)
