"""What users expect of a reader-writer lock, each broken once; the library's own offers it all."""

import pytest
from kinds.verdicts import verdict_of

from locksim.checker.check import check_clients
from locksim.checker.question import Question
from locksim.kinds.checking import clients_of
from locksim.kinds.rwlock import ReadingAndWriting
from locksim.lang import ACQUIRE, RELAXED, RELEASE, RWLock, part, pause, word
from locksim.library.locks.rwlock import WRITER, ReaderPreferenceRWLock
from locksim.library.locks.rwlock_writer import WriterPreferenceRWLock
from locksim.library.locks.ttas import TTASLock


class ReadersExclude(RWLock):
    """Wrong: readers keep one another out."""

    lock = part(TTASLock)

    def read_acquire(self):
        yield from self.lock.acquire()

    def read_release(self):
        yield from self.lock.release()

    def write_acquire(self):
        yield from self.lock.acquire()

    def write_release(self):
        yield from self.lock.release()


class SidesTakeTurns(RWLock):
    """Wrong: after a reader nobody but a writer gets in, after a writer nobody but a reader."""

    writes = word(1)

    def read_acquire(self):
        while (yield self.writes.load(ACQUIRE)):
            yield pause()

    def read_release(self):
        yield self.writes.store(1, RELEASE)

    def write_acquire(self):
        while not (yield self.writes.load(ACQUIRE)):
            yield pause()

    def write_release(self):
        yield self.writes.store(0, RELEASE)


class NestsWithoutWarrant(WriterPreferenceRWLock):
    """Wrong: it says that readers nest, and a writer that waits keeps the inner one out."""

    NESTED_READERS = 1


class ReadTryLeavesItsMark(ReaderPreferenceRWLock):
    """Wrong: a reader's try that fails does not take its 1 back."""

    def read_try_acquire(self):
        return (yield self.state.fetch_add(1, ACQUIRE)) >= 0


class ReadTryWaits(ReaderPreferenceRWLock):
    """Wrong: a reader's try waits for the writer."""

    def read_try_acquire(self):
        yield self.state.fetch_add(1, RELAXED)
        while (yield self.state.load(ACQUIRE)) < 0:
            yield pause()
        return 1


class ReadTryExcludes(ReaderPreferenceRWLock):
    """Wrong: a reader's try fails beside another reader."""

    def read_try_acquire(self):
        return (yield self.state.compare_swap(0, 1, ACQUIRE)) == 0


class WriteTryNever(ReaderPreferenceRWLock):
    """Wrong: a writer's try never succeeds."""

    def write_try_acquire(self):
        yield pause()
        return 0


class WriteTryWaits(ReaderPreferenceRWLock):
    """Wrong: a writer's try waits for the readers."""

    def write_try_acquire(self):
        while (yield self.state.compare_swap(0, WRITER, ACQUIRE)) > 0:
            yield pause()
        return (yield self.state.load(RELAXED)) == WRITER


class WriteTryIgnoresReaders(ReaderPreferenceRWLock):
    """Wrong: a writer's try looks for a writer only."""

    def write_try_acquire(self):
        return (yield self.state.fetch_or(WRITER, ACQUIRE)) >= 0


class DowngradeLetsGo(ReaderPreferenceRWLock):
    """Wrong: a writer leaves and comes back as a reader; another may write in between."""

    def downgrade(self):
        yield self.state.fetch_and(~WRITER, RELEASE)
        while (yield self.state.fetch_add(1, ACQUIRE)) < 0:
            yield self.state.fetch_add(-1, RELAXED)
            yield pause()


class DowngradeKeepsOut(ReaderPreferenceRWLock):
    """Wrong: the downgraded writer keeps readers out until it leaves."""

    def downgrade(self):
        yield self.state.fetch_add(1, RELAXED)

    def read_release(self):
        yield self.state.fetch_and(~WRITER, RELEASE)
        yield self.state.fetch_add(-1, RELEASE)


class UpgradeBesideReaders(ReaderPreferenceRWLock):
    """Wrong: a reader becomes the writer beside other readers."""

    def try_upgrade(self):
        yield self.state.swap(WRITER, ACQUIRE)
        return 1


class UpgradeLetsGo(ReaderPreferenceRWLock):
    """Wrong: a reader leaves and comes back as the writer; another may write in between."""

    def try_upgrade(self):
        yield self.state.fetch_add(-1, RELEASE)
        while (yield self.state.compare_swap(0, WRITER, ACQUIRE)) != 0:
            yield pause()
        return 1


class UpgradeNever(ReaderPreferenceRWLock):
    """Wrong: not even the only reader becomes the writer."""

    def try_upgrade(self):
        yield pause()
        return 0


FOUND = {
    (ReadersExclude, "readers meet"): "deadlock",
    (SidesTakeTurns, "read and write; thread 0 stays away"): "deadlock",
    (NestsWithoutWarrant, "1 nested readings"): "deadlock",
    (ReadTryLeavesItsMark, "try to read, while thread 0 writes"): "deadlock",
    (ReadTryWaits, "try to read, while thread 0 writes"): "deadlock",
    (ReadTryExcludes, "try to read, while thread 0 reads"): "assertion",
    (WriteTryNever, "try to write, while thread 0 writes"): "assertion",
    (WriteTryWaits, "try to write, while thread 0 reads"): "deadlock",
    (WriteTryIgnoresReaders, "try to write, while thread 0 reads"): "exclusion",
    (DowngradeLetsGo, "write, downgrade"): "assertion",
    (DowngradeKeepsOut, "readers meet a downgraded writer"): "deadlock",
    (UpgradeBesideReaders, "read, upgrade"): "exclusion",
    (UpgradeLetsGo, "read, upgrade"): "assertion",
    (UpgradeNever, "read, upgrade"): "assertion",
}


@pytest.mark.parametrize(("lock", "client"), FOUND, ids=lambda x: getattr(x, "__name__", x))
def test_what_users_expect_is_asked(lock, client):
    """One client asks; those that take turns to read and to write find nothing wrong."""
    assert FOUND[lock, client] == verdict_of(lock, client)
    usual = [c for c in clients_of(lock, 2, 1) if type(c.workload) is ReadingAndWriting]
    assert "proven" == check_clients(usual, Question(name="usual", threads=2)).verdict


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
def test_the_lock_that_offers_all_is_proven(memory):
    """Tries, nested readers, downgrade and upgrade."""
    assert "proven" == verdict_of(ReaderPreferenceRWLock, "", memory=memory)


def test_a_wrong_order_of_a_downgrade_is_found_under_c11():
    """Readers that come in must see what the writer wrote."""

    class DowngradeRelaxed(ReaderPreferenceRWLock):
        def downgrade(self):
            yield self.state.fetch_add(1, RELAXED)
            yield self.state.fetch_and(~WRITER, RELAXED)

    assert "proven" == verdict_of(DowngradeRelaxed, "readers meet a downgraded")
    assert "race" == verdict_of(DowngradeRelaxed, "readers meet a downgraded", memory="c11")


class ReadTryRelaxed(ReaderPreferenceRWLock):
    """Wrong: a reader's try does not acquire."""

    def read_try_acquire(self):
        if (yield self.state.fetch_add(1, RELAXED)) < 0:
            yield self.state.fetch_add(-1, RELAXED)
            return 0
        return 1


class WriteTryRelaxed(ReaderPreferenceRWLock):
    """Wrong: a writer's try does not acquire."""

    def write_try_acquire(self):
        return (yield self.state.compare_swap(0, WRITER, RELAXED)) == 0


@pytest.mark.parametrize(("lock", "side"), [(ReadTryRelaxed, "read"), (WriteTryRelaxed, "write")])
@pytest.mark.parametrize("threads", [2, 3])
def test_a_try_that_does_not_acquire_is_found_under_c11(lock, side, threads):
    """The last thread uses the data after its try; no other client does."""
    asked = {"threads": threads, "memory": "c11"}
    assert "race" == verdict_of(lock, f"read and write; the last tries to {side}", **asked)
    assert "proven" == verdict_of(lock, f"try to {side}, while thread 0 writes", **asked)
