"""Objects with their specifications: the right ones are proven, the wrong ones refuted."""

import pytest
from checker.proofs import for_all_sizes
from checker.spec import caches, counted, queues, sets, stacks

from locksim.checker import check_spec, replay
from locksim.checker.models.model import model
from locksim.checker.spec import clients
from locksim.kinds import kind_of
from locksim.lang import Lock, RWLock
from locksim.library.avc.decisions_spinlock import DecisionsSpinlock
from locksim.library.locks.lockref import Lockref
from locksim.library.locks.lockref_spinlock import SpinlockRef
from locksim.library.registry import entries, specification

MODELS = ("sc", "tso", "c11")
COMES_BACK = "push(1); push(2) || pop(); pop() | pop(); pop(); push(3); push(2)"
AROUND_ONE = "add(1) || remove(1) | add(2); contains(2)"
TWICE_ONE = "add(1); remove(1) | add(1); contains(1)"
RIGHT = {
    (queues.MSQueue, "FIFO"): "2",
    (stacks.TreiberStack, "LIFO"): "2",
    (stacks.TaggedStack, "LIFO"): COMES_BACK,
    (sets.LazySet, "Set"): AROUND_ONE,
    (Lockref, "LockedReferenceCount"): "get(); put() | acquire(); release()",
    (SpinlockRef, "LockedReferenceCount"): "get(); put() | acquire(); release()",
    (DecisionsSpinlock, "Decisions"): "replace(1, 1, 1); lookup(1) | reclaim(); reclaim()",
}
MORE = {
    (stacks.TaggedStack, "LIFO"): "2",
    (sets.LazySet, "Set"): "1",
    (Lockref, "LockedReferenceCount"): "2",
    (SpinlockRef, "LockedReferenceCount"): "2",
    (Lockref, "ReferenceCount"): "2",
    (DecisionsSpinlock, "Decisions"): "2",
}
"""More clients of the right ones; with many more states."""
WRONG = [
    (queues.LinksByStore, "FIFO", "enqueue(1); dequeue() | enqueue(2); dequeue()"),
    (queues.TakesByStore, "FIFO", "enqueue(1) || dequeue() | dequeue()"),
    (queues.SwingsFirst, "FIFO", "enqueue(1) | enqueue(2); dequeue()"),
    (queues.GivesUp, "FIFO", "enqueue(1); enqueue(2) || dequeue() | dequeue()"),
    (stacks.TreiberStack, "LIFO", COMES_BACK),
    (stacks.TagStartsAnew, "LIFO", COMES_BACK),
    (stacks.PushesByStore, "LIFO", "push(1); pop() | push(2); pop()"),
    (stacks.PopsByStore, "LIFO", "push(1) || pop() | pop()"),
    (stacks.LinksTooLate, "LIFO", "push(1); push(2) | pop(); pop()"),
    (sets.LooksOnce, "Set", TWICE_ONE),
    (sets.NeverMarks, "Set", AROUND_ONE),
    (sets.LocksOne, "Set", AROUND_ONE),
    (sets.OnlyMarks, "Set", TWICE_ONE),
    (counted.GetsByStore, "LockedReferenceCount", "get(); put() | get(); put()"),
    (counted.IgnoresTheLock, "LockedReferenceCount", "acquire(); release() | get(); put()"),
    (counted.GivesTheOldCount, "LockedReferenceCount", "get(); put() | get()"),
    (counted.LooksTwice, "LockedReferenceCount", "get(); put() | get(); put()"),
    (counted.UnlocksTheOldWord, "LockedReferenceCount", "get(); put() | get(); references()"),
    (caches.SplitDecision, "Decisions", "lookup(1) | replace(1, 1, 1)"),
    (caches.NeverMarks, "Decisions", "replace(1, 1, 1) || lookup(1); reclaim() | reclaim()"),
    (caches.LooksFirst, "Decisions", "replace(1, 1, 1); reclaim() | replace(1, 2, 1); reclaim()"),
    (caches.CountsTooMany, "Decisions", "replace(1, 1, 1) || reclaim() | lookup(1)"),
    (caches.LooksUpUnlocked, "Decisions", "lookup(1) | replace(1, 1, 1)"),
]
WEAK = [
    (queues.RelaxedLink, "FIFO", "enqueue(1); enqueue(2) | enqueue(3); dequeue()"),
    (stacks.RelaxedPush, "LIFO", "push(1); push(2) | pop(); pop()"),
    (sets.RelaxedLink, "Set", TWICE_ONE),
]
"""Right under sc and tso, wrong under c11."""


def named(cases):
    """Ids of test cases: the class, and the specification."""
    return [f"{case[0].__name__}-{case[1]}" for case in cases]


@pytest.mark.covering("implementation", "memory")
@pytest.mark.parametrize(("implementation", "name"), RIGHT, ids=named(RIGHT))
@pytest.mark.parametrize("memory", MODELS)
def test_the_right_ones_are_proven(implementation, name, memory):
    """Nothing else is wrong with them either: memory, races, leaks."""
    atomic, asked = specification(name), RIGHT[implementation, name]
    verdict = check_spec(implementation, atomic, operations=asked, memory=memory)
    assert for_all_sizes(verdict)


@pytest.mark.slow
@pytest.mark.parametrize(("implementation", "name"), MORE, ids=named(MORE))
@pytest.mark.parametrize("memory", MODELS)
def test_the_right_ones_are_proven_for_more_clients(implementation, name, memory):
    """All that threads can do with so many operations."""
    atomic, asked = specification(name), MORE[implementation, name]
    verdict = check_spec(implementation, atomic, operations=asked, memory=memory)
    assert for_all_sizes(verdict)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["FIFO", "LIFO"])
@pytest.mark.parametrize("memory", MODELS)
def test_three_threads(name, memory):
    """One operation each, and whatever they find before."""
    implementation = queues.MSQueue if name == "FIFO" else stacks.TaggedStack
    verdict = check_spec(implementation, specification(name), threads=3, memory=memory)
    assert verdict.is_proof()


@pytest.mark.covering("implementation", every=2)
@pytest.mark.parametrize(("implementation", "name", "asked"), WRONG, ids=named(WRONG))
def test_the_wrong_ones_are_refuted(implementation, name, asked):
    """Under sc, and by a history: the run to it replays on the generators."""
    atomic = specification(name)
    verdict = check_spec(implementation, atomic, operations=asked, property="assertion")
    assert ("violated", "linearizability") == (verdict.verdict, verdict.found)
    assert "no order of these operations" in verdict.counterexample.message
    (client,) = clients(implementation, atomic, 0, asked, "linearizability")
    types = model(client.workload, 2, "sc").memory.types
    assert "linearizability" == replay(verdict.counterexample, client, memory="sc", types=types)


@pytest.mark.slow
@pytest.mark.parametrize(("implementation", "name", "asked"), WRONG, ids=named(WRONG))
@pytest.mark.parametrize("memory", ["tso", "c11"])
def test_the_wrong_ones_are_refuted_under_weaker_models(implementation, name, asked, memory):
    """What is wrong under sc is wrong under all."""
    verdict = check_spec(
        implementation, specification(name), operations=asked, memory=memory, property="assertion"
    )
    assert "violated" == verdict.verdict


@pytest.mark.parametrize(("implementation", "name", "asked"), WEAK, ids=named(WEAK))
def test_a_missing_order_is_refuted_under_c11_only(implementation, name, asked):
    """A relaxed store publishes a node that is not filled for all."""
    verdicts = [
        check_spec(implementation, specification(name), operations=asked, memory=memory).verdict
        for memory in MODELS
    ]
    assert ["proven", "proven", "violated"] == verdicts


LOCKS = [e.name for e in entries() if (kind := kind_of(e.struct)) and kind.base in (Lock, RWLock)]


@pytest.mark.covering("name", every=2)
@pytest.mark.parametrize("name", LOCKS)
def test_locks_of_the_library_are_as_their_specifications(name):
    """Each thread comes once, by the ways that the lock offers."""
    struct = next(e.struct for e in entries() if e.name == name)
    reads = issubclass(struct, RWLock)
    once = (
        "read_acquire(); read_release() | write_acquire(); write_release()"
        if reads
        else "acquire(); release() | acquire(); release()"
    )
    atomic = specification("ReadersWriter" if reads else "Mutex")
    for memory in MODELS:
        assert check_spec(struct, atomic, operations=once, memory=memory).is_proof()
