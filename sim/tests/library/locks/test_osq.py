"""The queue of spinners: who leaves it loses no other waiter."""

import pytest

from locksim.checker import check_lock
from locksim.library.locks.osq import OptimisticSpinQueue


@pytest.mark.parametrize("resched_one_in", [0, 2])
def test_it_is_proven_with_and_without_leaving(resched_one_in: int) -> None:
    """Nobody leaves: an MCS lock. Anybody may: every mixture is explored."""
    lock = OptimisticSpinQueue(resched_one_in=resched_one_in)
    assert check_lock(lock, threads=3).is_proof()


@pytest.mark.slow
def test_four_threads_are_proven() -> None:
    """A holder and three that leave at once: each has a neighbour that leaves, too."""
    assert check_lock(OptimisticSpinQueue, threads=4).is_proof()


@pytest.mark.slow
def test_two_threads_are_proven_under_c11() -> None:
    """More are too many for the memory that a check may take."""
    assert check_lock(OptimisticSpinQueue, threads=2, memory="c11").is_proof()
