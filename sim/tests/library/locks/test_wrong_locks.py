"""Each lock's wrong variants are refused: the checker sees what keeps the lock right."""

import pytest
from library.locks.wrong_locks import MISTAKES, TOO_WEAK, Wrong

from locksim.checker import check_lock
from locksim.library.locks.bakery import BakeryLock
from locksim.library.locks.dekker import DekkerLock
from locksim.library.locks.filter import FilterLock
from locksim.library.locks.peterson import PetersonLock
from locksim.library.locks.twa import TWALock


@pytest.mark.covering("wrong", every=4)
@pytest.mark.parametrize("wrong", MISTAKES, ids=str)
def test_a_mistake_is_found_on_any_machine(wrong: Wrong) -> None:
    """Under sc already; the verdict names the property."""
    verdict = check_lock(wrong.struct(), threads=wrong.threads, rounds=wrong.rounds)
    assert ("violated", wrong.found) == (verdict.verdict, verdict.found)


@pytest.mark.covering("wrong", every=4)
@pytest.mark.parametrize("wrong", TOO_WEAK, ids=str)
def test_too_weak_an_order_is_found_under_c11_alone(wrong: Wrong) -> None:
    """x86 never shows it."""
    size = {"threads": wrong.threads, "rounds": wrong.rounds}
    assert check_lock(wrong.struct(), memory="tso", **size).is_proof()
    verdict = check_lock(wrong.struct(), memory="c11", **size)
    assert ("violated", wrong.found) == (verdict.verdict, verdict.found)


@pytest.mark.parametrize("lock", [PetersonLock, DekkerLock, FilterLock, BakeryLock])
def test_a_classic_without_its_fences_is_right_under_sc_only(lock: type) -> None:
    """A store that waits in its buffer lets both in, on x86 and on weaker machines."""
    bare = lock(fenced=0)
    assert check_lock(bare, threads=2).is_proof()
    for memory in ("tso", "c11"):
        verdict = check_lock(bare, threads=2, memory=memory, simplest=False)
        assert ("violated", "exclusion") == (verdict.verdict, verdict.found)


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
def test_waiters_that_share_a_slot_wake_for_one_another(memory: str) -> None:
    """TWA with one slot: all wake, look, and wait again."""
    assert check_lock(TWALock(slots=1), threads=3, memory=memory).is_proof()
