"""Verdicts: which memory model the counterexample is of, and what was not asked."""

import pytest
from checker import zoo
from checker.classics import Peterson
from checker.zoo_weak import TASNoRelease

from locksim.checker import Budget, Sampling, check_lock, replay, sample_lock
from locksim.checker.verdict import LIVENESS
from locksim.kinds.checking import clients_of
from locksim.library.locks.ticket import TicketLock

SIMPLEST = [
    (zoo.TASTestThenSet, "sc", "sc"),
    (zoo.TASTestThenSet, "tso", "sc"),
    (zoo.TASTestThenSet, "c11", "sc"),
    (zoo.HeapMCSUseAfterFree, "c11", "sc"),
    (zoo.SleepingLostWakeUp, "tso", "sc"),
    (Peterson, "tso", "tso"),
    (Peterson, "c11", "tso"),
    (TASNoRelease, "c11", "c11"),
]


@pytest.mark.parametrize(("lock", "asked", "strongest"), SIMPLEST)
def test_the_strongest_model_that_breaks_it_is_shown(lock, asked, strongest):
    """The verdict is for the model that was asked for; the counterexample names its own."""
    verdict = check_lock(lock, threads=2, memory=asked)
    example = verdict.counterexample
    assert ("violated", asked, strongest) == (verdict.verdict, verdict.memory, example.memory)
    (client,) = [c for c in clients_of(lock, 2, 1) if c.name == example.client]
    types = [zoo.HeapNode] if lock is zoo.HeapMCSUseAfterFree else []
    assert example.found == replay(example, client, memory=strongest, types=types)
    own = check_lock(lock, threads=2, memory=strongest)
    assert own.counterexample == example


@pytest.mark.parametrize("memory", ["tso", "c11"])
def test_the_asked_model_can_be_shown_on_request(memory):
    """The same verdict, with steps of that model."""
    shown = check_lock(zoo.TASTestThenSet, threads=2, memory=memory)
    own = check_lock(zoo.TASTestThenSet, threads=2, memory=memory, simplest=False)
    assert memory == own.counterexample.memory
    same = ("verdict", "found", "memory", "client", "states", "depth")
    assert [getattr(shown, name) for name in same] == [getattr(own, name) for name in same]


def test_a_budget_that_does_not_show_the_simplest_says_so():
    """The verdict is known; whether a stronger memory would do is not."""
    verdict = check_lock(TASNoRelease, threads=2, memory="c11", budget=Budget(max_states=20))
    assert ("violated", "c11") == (verdict.verdict, verdict.counterexample.memory)
    unknown = [
        f"whether {memory} breaks it too is not known: 20 states" for memory in ("sc", "tso")
    ]
    assert unknown == verdict.limits


def test_all_says_what_it_did_not_ask():
    """Liveness is not part of it; a single property claims nothing else."""
    assert list(LIVENESS) == check_lock(TicketLock, threads=2).not_checked
    assert list(LIVENESS) == check_lock(TicketLock, threads=2).to_json()["not_checked"]
    assert [] == check_lock(TicketLock, threads=2, property="exclusion").not_checked
    assert list(LIVENESS) == sample_lock(TicketLock, Sampling(5), threads=2).not_checked


def test_a_sampled_counterexample_is_of_the_model_that_was_asked():
    """A random schedule is not looked for under another model."""
    verdict = sample_lock(zoo.TASTestThenSet, Sampling(100), threads=2, memory="tso")
    example = verdict.counterexample
    assert ("tso", verdict.client) == (example.memory, example.client)
