"""Plain and compiled code of the checker are one source: they give the same, state for state."""

import dataclasses

import pytest
from checker import zoo, zoo_weak

from locksim import jit
from locksim.checker import Sampling, check_lock, sample, sample_lock
from locksim.checker.search import compiled, explore, runner
from locksim.lang import RELAXED, Lock, array, pause, thread, word
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.rcu import RCU
from locksim.library.locks.rwlock import ReaderPreferenceRWLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.locks.ttas import TTASLock

RIGHT = [MCSLock, TicketLock, ReaderPreferenceRWLock, RCU]
WRONG = [
    zoo.TASTestThenSet,
    zoo.TicketSkipsOne,
    zoo.MCSLockedTooLate,
    zoo.HeapMCS,
    zoo.RWWriterClearsAll,
    zoo_weak.MCSSpinNoAcquire,
]
all_models = pytest.mark.parametrize("memory", ["sc", "tso", "c11"])


def both(ask):
    """What a question gives compiled, and plain; without the time that it took."""
    answers = [ask()]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jit, "enabled", lambda: False)
        answers.append(ask())
    return [dataclasses.replace(answer, seconds=0.0) for answer in answers]


@pytest.mark.covering("lock", "memory", every=2)
@all_models
@pytest.mark.parametrize("lock", [*RIGHT, *WRONG], ids=lambda lock: lock.__name__)
def test_verdict_states_and_counterexample_are_the_same(lock, memory):
    """The whole verdict."""
    compiled, plain = both(lambda: check_lock(lock, threads=2, memory=memory))
    assert compiled == plain
    assert lock in WRONG or "proven" == plain.verdict


@pytest.mark.parametrize("property", ["starvation", "bypass"])
@pytest.mark.parametrize("lock", [TicketLock, TTASLock, zoo.TicketSkipsOne])
def test_cycles_are_the_same(lock, property):  # noqa: A002 - the contract's word
    """Who starves, how, and who overtakes whom."""
    compiled, plain = both(lambda: check_lock(lock, threads=2, memory="tso", property=property))
    assert compiled == plain


@pytest.mark.parametrize("depth", [0, 3])
def test_random_schedules_are_the_same(depth):
    """The same seeds, the same steps, the same shrunk failure."""
    sampling = Sampling(30, depth)
    compiled, plain = both(lambda: sample_lock(zoo.TASTestThenSet, sampling, threads=3))
    assert compiled == plain


class Small:
    """A choice that takes plain code for some units of work."""

    unlimited = explore.CHOICE.unlimited

    def __init__(self, units):
        self.rest, self.loads = units, 0

    def left(self):
        """Units to go."""
        return max(0, self.rest)

    def spend(self, units):
        """Count them."""
        self.rest -= units

    def load(self):
        """Compiled code."""
        self.loads += 1
        return compiled


@pytest.fixture
def small(monkeypatch):
    """Let checks be small up to 20 states."""
    choice = Small(20)
    for module in (explore, runner, sample):
        monkeypatch.setattr(module, "CHOICE", choice)
    return choice


@pytest.mark.parametrize("memory", ["sc", "c11"])
def test_a_check_that_turns_out_to_be_large_is_the_same(small, memory):
    """It begins as plain code and is done by compiled code: the whole verdict is the same."""
    expected = check_lock(TicketLock, threads=2, memory=memory)
    assert 0 < small.loads
    compiled_at_once, plain = both(lambda: check_lock(TicketLock, threads=2, memory=memory))
    assert [dataclasses.replace(expected, seconds=0.0)] * 2 == [compiled_at_once, plain]


@pytest.mark.parametrize("depth", [0, 3])
def test_random_schedules_change_over(small, depth):
    """The same steps, wherever plain code stops."""
    small.rest = 1
    expected = sample_lock(TicketLock, Sampling(5, depth), threads=3)
    assert 0 < small.loads
    compiled_at_once, plain = both(lambda: sample_lock(TicketLock, Sampling(5, depth), threads=3))
    assert [dataclasses.replace(expected, seconds=0.0)] * 2 == [compiled_at_once, plain]


class FirstGoesFirst(Lock):
    """Right under SC: thread 1 gives way. Each word has one writer, so only loads can be behind."""

    wants = array(2, word())

    def acquire(self):
        me = thread()
        yield self.wants[me].store(1, RELAXED)
        while (yield self.wants[1 - me].load(RELAXED)):
            if me == 1:
                yield self.wants[me].store(0, RELAXED)
                yield pause()
                yield self.wants[me].store(1, RELAXED)
            else:
                yield pause()

    def release(self):
        yield self.wants[thread()].store(0, RELAXED)


@pytest.mark.parametrize("depth", [0, 3])
def test_random_schedules_read_old_messages(depth):
    """Two threads are inside only if one of them reads a value that has been overwritten."""
    asked = {"threads": 2, "property": "exclusion"}
    assert "proven" == check_lock(FirstGoesFirst, **asked).verdict
    sampling = Sampling(300, depth)
    compiled, plain = both(lambda: sample_lock(FirstGoesFirst, sampling, memory="c11", **asked))
    assert compiled == plain
    assert ("violated", "exclusion") == (plain.verdict, plain.found)
    behind = {step.operation for step in plain.counterexample.steps if step.behind}
    assert {"load"} == behind
