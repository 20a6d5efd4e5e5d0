"""The checker takes counted loops, ``super()``, and nodes and words as arguments."""

import pytest
from idioms import Bakery, Bank, CountingByTwo, CountingTicket, Filter, HastyBakery

from locksim.checker import check_lock, check_workload

strong_models = pytest.mark.parametrize("memory", ["sc", "tso"])


@strong_models
@pytest.mark.parametrize("lock", [Bakery, Filter])
def test_loops_over_the_other_threads_are_proven(lock: type, memory: str) -> None:
    """Each thread passes over itself in the loop without any operation."""
    verdict = check_lock(lock(), threads=2, memory=memory)
    assert verdict.is_proof()


def test_the_bakery_needs_its_doorway() -> None:
    """A subclass that does not wait for the flag lets two threads in."""
    verdict = check_lock(HastyBakery(), threads=2)
    assert ("violated", "exclusion") == (verdict.verdict, verdict.found)


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize("lock", [CountingTicket, CountingByTwo])
def test_a_lock_that_inherits_is_proven(lock: type, memory: str) -> None:
    """``super().acquire()`` is metered too, and counts once."""
    verdict = check_lock(lock(), threads=2, memory=memory)
    assert verdict.is_proof()


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
def test_two_locks_share_their_nodes(memory: str) -> None:
    """Nodes come from one table, through a pointer and as arguments; no payment is lost."""
    expect = {"rich.money": 2, "poor.money": 4}
    verdict = check_workload(Bank(), threads=2, expect=expect, memory=memory)
    assert verdict.is_proof()
