"""What is wrong at the end of a path, in the words of the field."""

import pytest
from checker import zoo

from locksim.checker import check_lock, check_workload
from locksim.lang import RELAXED, Workload, param, part, word
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.tas import TASLock


class TwoWriters(ReaderPreferenceRWLock):
    """A writer does not look at anything."""

    def write_acquire(self):
        yield self.state.load(RELAXED)


class Using(Workload):
    """Locks used as no client of the library uses them.

    Arguments:
        twice: 0: release without acquire; 1: acquire a lock that lets every thread in twice.
    """

    twice = param(0)
    lock = part(TASLock)
    other = part(zoo.TASTestThenSet)
    count = word()

    def thread(self):
        if self.twice:
            yield from self.other.acquire()
            yield self.other.locked.store(0, RELAXED)
            yield from self.other.acquire()
        else:
            yield from self.lock.release()


def said(lock, **options):
    """The message of a lock's counterexample."""
    return check_lock(lock, threads=2, **options).counterexample.message


BESIDE = [
    (zoo.TASTestThenSet, "two threads hold the lock: thread 0 acquires it while thread 1 holds it"),
    (
        zoo.RWReaderLooksFirst,
        "a writer and a reader hold the lock: thread 1 acquires it for reading while thread 0 "
        "holds it for writing",
    ),
    (
        zoo.RWWriterIgnoresReaders,
        "a writer and a reader hold the lock: thread 0 acquires it for writing while thread 1 "
        "holds it for reading",
    ),
]


@pytest.mark.parametrize(("lock", "message"), BESIDE, ids=[lock.__name__ for lock, _ in BESIDE])
def test_two_threads_hold_a_lock(lock, message):
    """Who comes in, for what, and beside whom."""
    assert message == said(lock)


def test_two_writers():
    """Both hold it for writing."""
    message = said(TwoWriters, rounds=2)
    assert message.startswith(("two writers hold the lock: ", "a writer and a reader hold"))


@pytest.mark.parametrize(
    ("twice", "message"),
    [
        (0, "thread 0 releases lock, which it does not hold (no thread holds it)"),
        (1, "thread 0 acquires other, which it holds already (thread 0 holds it)"),
    ],
)
def test_a_lock_is_used_wrongly(twice, message):
    """One of several locks is called by its name."""
    verdict = check_workload(Using(twice=twice), threads=1)
    assert ("exclusion", message) == (verdict.found, verdict.counterexample.message)


def test_a_deadlock_says_what_each_thread_waits_for():
    """Place, operation, and the word's value; or that it sleeps."""
    head, *lines = said(zoo.TASNeverFree).splitlines()
    assert "these threads never finish:" == head
    assert all("swap of lock.locked, which is 1" in line for line in lines)
    assert ["sleeps in block()"] == [
        line.rpartition(": ")[2] for line in said(zoo.SleepingLostWakeUp).splitlines()[1:]
    ]


def test_a_fault_in_a_test_client_does_not_show_its_file():
    """A reader knows the client by its name and not by its lines."""
    verdict = check_lock(zoo.RWWriterIgnoresReaders, threads=2, property="assertion")
    message = verdict.counterexample.message
    assert message.startswith("torn read: thread 1, in the test client: copy is 0, expected 1")
