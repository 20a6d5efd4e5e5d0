"""Counterexamples as litmus tests: reading one back shows what broke the lock."""

import functools

import pytest
from checker import zoo, zoo_weak
from checker.classics import Dekker, Peterson, PetersonSeqCst

from locksim.checker import check_lock
from locksim.checker.litmus.observe import observe
from locksim.checker.litmus.read import read
from locksim.checker.litmus.trace import trace
from locksim.checker.litmus.write import write
from locksim.lang import RELAXED, Lock, word

MODELS = ["sc", "tso", "c11"]


class Counting(Lock):
    """Its second word holds twice what was found in the first one."""

    tickets = word(5)
    copy = word()

    def acquire(self):
        mine = yield self.tickets.fetch_add(1, RELAXED)
        yield self.copy.store(mine * 2 + 1, RELAXED)

    def release(self):
        yield self.copy.store(0, RELAXED)


@functools.cache
def counterexample(lock, memory, rounds=1):
    """What breaks a lock under a model, for two threads."""
    return check_lock(lock, threads=2, rounds=rounds, memory=memory, simplest=False).counterexample


def written(lock, memory, *, kernel=False):
    """The text of its litmus test."""
    return write(trace(counterexample(lock, memory), lock.__name__, kernel=kernel))


def shown(text, memory):
    """What a text shows, with ! where its plain accesses race."""
    found = observe(read(text, "t.litmus"), memory)
    return found.word + "!" * (found.race is not None)


@pytest.mark.parametrize(
    ("lock", "memory", "expected"),
    [
        (zoo.TASTestThenSet, "sc", "Sometimes Sometimes Sometimes"),
        (zoo.TicketSkipsOne, "sc", "Sometimes Sometimes Sometimes"),
        (zoo.MCSNoWaitForLink, "sc", "Sometimes Sometimes Sometimes"),
        (zoo.RWReaderLooksFirst, "tso", "Sometimes Sometimes Sometimes"),
        (zoo.HeapMCSUseAfterFree, "tso", "Sometimes Sometimes Sometimes"),
        (Peterson, "tso", "Never Sometimes Sometimes"),
        (Dekker, "tso", "Never Sometimes Sometimes"),
        (PetersonSeqCst, "c11", "Never Never Sometimes"),
        (zoo_weak.CLHTailNoRelease, "c11", "Never Never Sometimes"),
        (zoo_weak.MCSNextNoAcquire, "c11", "Never Never Sometimes"),
        (zoo_weak.TASNoAcquire, "c11", "Sometimes Sometimes Sometimes!"),
        (zoo_weak.TTASTryNoAcquire, "c11", "Sometimes Sometimes Sometimes!"),
    ],
)
def test_a_counterexample_is_read_back(lock, memory, expected):
    """It can happen under the model that it is of, and not where the lock is right."""
    text = written(lock, memory)
    assert " ".join(shown(text, model) for model in MODELS) == expected
    assert shown(written(lock, memory, kernel=True), "tso") == expected.split()[1]


def test_no_race_is_made_up():
    """Plain accesses stand behind what was read before: this lock only deadlocks."""
    assert counterexample(zoo.RWReaderStays, "c11", 2).found == "deadlock"
    text = write(trace(counterexample(zoo.RWReaderStays, "c11", 2), "t"))
    assert shown(text, "c11") == "Sometimes"


def test_what_is_computed_from_registers_is_written_so():
    """Data dependencies stay; the words begin as they did, and keep their last values."""
    text = written(Counting, "sc")
    assert "{ lock_tickets = 5; }" in text
    assert "\tint r0 = atomic_fetch_add_explicit(lock_tickets, 1, memory_order_relaxed);" in text
    assert "\tatomic_store_explicit(lock_copy, (r0 * 2) + 1, memory_order_relaxed);" in text
    assert "exists (0:r0=5 /\\ 1:r0=6 /\\ lock_tickets=7 /\\ lock_copy=13)" in text


def test_the_kernel_has_its_own_operations():
    """What it lacks is written as the nearest stronger thing, and said."""
    text = written(PetersonSeqCst, "c11", kernel=True)
    assert "\tsmp_mb();\n\tsmp_store_release(lock_turn, 1);" in text
    assert "store SEQ_CST: written as smp_mb() and RELEASE" in text
    assert "\tint r0 = atomic_fetch_add_relaxed(1, lock_tickets);" in written(
        Counting, "sc", kernel=True
    )


def test_names_that_the_dialects_take_are_not_used():
    """And pointers are numbers that the comment names."""
    text = written(zoo.MCSNoWaitForLink, "sc")
    assert "pointers: " in text
    assert "is &lock.nodes[0]" in text
