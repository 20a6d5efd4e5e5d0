"""Every broken lock is rejected, and each counterexample holds in the language's own semantics."""

import pytest
from checker.classics import (
    Bakery,
    Dekker,
    DekkerC11,
    DekkerFence,
    DekkerSeqCst,
    Peterson,
    PetersonAllSeqCst,
    PetersonC11,
    PetersonFence,
    PetersonSeqCst,
    Szymanski,
)
from checker.proofs import for_all_sizes
from checker.zoo import RIGHT, ZOO
from checker.zoo_weak import WEAK

from locksim.checker import Budget, check_lock, replay
from locksim.kinds.checking import clients_of

MODELS = ["sc", "tso", "c11"]
all_models = pytest.mark.parametrize("memory", MODELS)
strong_models = pytest.mark.parametrize("memory", MODELS[:2])
FOR_ALL_MACHINES = [PetersonC11, DekkerC11, Bakery, Szymanski]


def confirm(verdict, lock, rounds, types=()):
    """Replay a verdict's counterexample with the client that it belongs to."""
    found = clients_of(lock, verdict.threads, rounds)
    client = next(c for c in found if c.name == verdict.client)
    return replay(verdict.counterexample, client, memory=verdict.counterexample.memory, types=types)


@pytest.mark.covering("animal", "memory")
@all_models
@pytest.mark.parametrize("animal", ZOO, ids=[a.lock.__name__ for a in ZOO])
def test_broken_lock_is_rejected(animal, memory):
    """The verdict names the property, and the generators confirm it."""
    options = {"threads": animal.threads, "rounds": animal.rounds, "memory": memory}
    verdict = check_lock(animal.lock, **options, simplest=False)
    expected = animal.found if memory != "c11" else animal.weakly or animal.found
    assert ("violated", expected) == (verdict.verdict, verdict.found)
    assert expected == confirm(verdict, animal.lock, animal.rounds, animal.types)


@pytest.mark.covering("animal", every=2)
@pytest.mark.parametrize("animal", WEAK, ids=[a.lock.__name__ for a in WEAK])
def test_too_weak_an_order_is_found_under_c11(animal):
    """The verdict names the property, and messages and views in plain Python confirm it."""
    verdict = check_lock(animal.lock, threads=animal.threads, rounds=animal.rounds, memory="c11")
    assert ("violated", animal.found) == (verdict.verdict, verdict.found)
    assert animal.found == confirm(verdict, animal.lock, animal.rounds)


@pytest.mark.covering("animal", "memory")
@strong_models
@pytest.mark.parametrize("animal", WEAK, ids=[a.lock.__name__ for a in WEAK])
def test_too_weak_an_order_does_not_matter_under_sc_and_tso(animal, memory):
    """It is the order that is wrong, and nothing else."""
    assert "proven" == check_lock(animal.lock, threads=2, rounds=2, memory=memory).verdict


def test_the_zoo_is_large():
    """Forty broken locks, each with a bug of its own, told in its docstring."""
    animals = [a.lock for a in (*ZOO, *WEAK)]
    assert len(animals) >= 40
    assert len(animals) == len({a.__doc__ for a in animals})


@all_models
@pytest.mark.parametrize("lock", RIGHT)
def test_right_relatives_are_proven(lock, memory):
    """What the broken ones differ from by one change is right."""
    verdict = check_lock(lock, threads=2, rounds=2, memory=memory)
    assert for_all_sizes(verdict)


@pytest.mark.parametrize("lock", [Peterson, Dekker])
def test_classic_is_right_under_sc_and_broken_under_tso(lock):
    """Without a fence a store may wait while the load after it is done."""
    assert "proven" == check_lock(lock, threads=2, rounds=2, memory="sc").verdict
    verdict = check_lock(lock, threads=2, rounds=2, memory="tso")
    assert ("violated", "exclusion") == (verdict.verdict, verdict.found)
    assert "exclusion" == confirm(verdict, lock, 2)


@strong_models
@pytest.mark.parametrize("lock", [PetersonFence, PetersonSeqCst, DekkerFence, DekkerSeqCst])
def test_classic_with_a_fence_is_right_under_tso(lock, memory):
    """A full fence or a SEQ_CST store mends them."""
    verdict = check_lock(lock, threads=2, rounds=2, memory=memory)
    assert ("proven", []) == (verdict.verdict, verdict.limits)


@pytest.mark.parametrize("lock", [PetersonFence, PetersonSeqCst, DekkerFence, DekkerSeqCst])
def test_what_mends_a_classic_for_tso_does_not_for_c11(lock):
    """A SEQ_CST store is no fence there, and RELAXED accesses hand nothing over."""
    verdict = check_lock(lock, threads=2, rounds=2, memory="c11", simplest=False)
    assert "violated" == verdict.verdict
    assert verdict.found == confirm(verdict, lock, 2)


@all_models
@pytest.mark.parametrize(
    "lock", [*(lock() for lock in FOR_ALL_MACHINES), PetersonAllSeqCst], ids=str
)
def test_classic_with_fences_and_orders_is_right_everywhere(lock, memory):
    """Loads and stores suffice, with the fences that they need."""
    verdict = check_lock(lock, threads=2, rounds=2, memory=memory, budget=Budget(history=12))
    assert ("proven", []) == (verdict.verdict, verdict.limits)


@pytest.mark.parametrize("memory", ["tso", "c11"])
@pytest.mark.parametrize("lock", FOR_ALL_MACHINES)
def test_classic_without_its_fences_is_broken(lock, memory):
    """Under SC it needs none."""
    bare = lock(fenced=0)
    assert "proven" == check_lock(bare, threads=2, rounds=2, memory="sc").verdict
    verdict = check_lock(bare, threads=2, rounds=2, memory=memory, simplest=False)
    assert ("violated", "exclusion") == (verdict.verdict, verdict.found)
    assert "exclusion" == confirm(verdict, bare, 2)
