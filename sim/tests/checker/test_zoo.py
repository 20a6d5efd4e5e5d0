"""Every broken lock is rejected, and each counterexample holds in the language's own semantics."""

import pytest
from checker.classics import (
    Dekker,
    DekkerFence,
    DekkerSeqCst,
    Peterson,
    PetersonFence,
    PetersonSeqCst,
)
from checker.replay import replay
from checker.zoo import RIGHT, ZOO

from locksim.checker import check_lock
from locksim.checker.client import clients

both_models = pytest.mark.parametrize("memory", ["sc", "tso"])


def confirm(verdict, lock, rounds, types=()):
    """Replay a verdict's counterexample with the client that it belongs to."""
    found = clients(lock, verdict.threads, rounds)
    client = next(c for c in found if c.name == verdict.client)
    return replay(
        verdict.counterexample,
        client.workload,
        client.expect,
        tso=verdict.memory == "tso",
        types=list(types),
    )


@both_models
@pytest.mark.parametrize("animal", ZOO, ids=[a.lock.__name__ for a in ZOO])
def test_broken_lock_is_rejected(animal, memory):
    """The verdict names the property, and the generators confirm it."""
    verdict = check_lock(animal.lock, threads=animal.threads, rounds=animal.rounds, memory=memory)
    assert ("violated", animal.found) == (verdict.verdict, verdict.found)
    assert animal.found == confirm(verdict, animal.lock, animal.rounds, animal.types)


@both_models
@pytest.mark.parametrize("lock", RIGHT)
def test_right_relatives_are_proven(lock, memory):
    """What the broken ones differ from by one change is right."""
    verdict = check_lock(lock, threads=2, rounds=2, memory=memory)
    assert ("proven", []) == (verdict.verdict, verdict.limits)


@pytest.mark.parametrize("lock", [Peterson, Dekker])
def test_classic_is_right_under_sc_and_broken_under_tso(lock):
    """Without a fence a store may wait while the load after it is done."""
    assert "proven" == check_lock(lock, threads=2, rounds=2, memory="sc").verdict
    verdict = check_lock(lock, threads=2, rounds=2, memory="tso")
    assert ("violated", "exclusion") == (verdict.verdict, verdict.found)
    assert "exclusion" == confirm(verdict, lock, 2)


@both_models
@pytest.mark.parametrize("lock", [PetersonFence, PetersonSeqCst, DekkerFence, DekkerSeqCst])
def test_classic_with_a_fence_is_right(lock, memory):
    """A full fence or a SEQ_CST store mends them."""
    verdict = check_lock(lock, threads=2, rounds=2, memory=memory)
    assert ("proven", []) == (verdict.verdict, verdict.limits)
