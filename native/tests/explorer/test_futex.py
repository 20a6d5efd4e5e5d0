"""Futexes as the explorer models them: programs, and the verdicts that thought gives them."""

from __future__ import annotations

from pathlib import Path

import pytest

from locknative.explorer import Exploration, Program, Search
from locknative.explorer.locks import explore_lock
from locknative.explorer.search import MEMORIES, run
from locksim.checker.limits import is_proof

PROGRAM = Path(__file__).parents[1] / "programs/futex.c"


def explored(case: int, most: str = "1", **how: object) -> Exploration:
    """Return what is found in a case of futex.c."""
    with Program([PROGRAM], [f"CASE={case}", f"MOST={most}"]) as program:
        return run(program, Search(**how))  # type: ignore[arg-type]


@pytest.mark.parametrize("memory", MEMORIES)
def test_a_sleeper_that_looks_again_is_right(memory: str) -> None:
    """Whatever ends its sleep; and the release of the word is what it sees."""
    assert is_proof(explored(1, memory=memory, spurious=True).verdict)


@pytest.mark.parametrize(("spurious", "found"), [(False, ""), (True, "assertion")])
def test_a_wait_can_end_for_no_reason(spurious: bool, found: str) -> None:
    """As a signal ends it: on request."""
    assert found == explored(2, spurious=spurious).found


def test_a_wake_up_that_comes_first_is_lost() -> None:
    """The word has to change before."""
    assert "deadlock" == explored(3).found


@pytest.mark.parametrize(("most", "found"), [("1", "deadlock"), ("2", ""), ("INT_MAX", "")])
def test_as_many_are_woken_as_were_asked_for(most: str, found: str) -> None:
    """Two sleep on one word."""
    assert found == explored(4, most, threads=3).found


def test_another_value_ends_a_wait_at_once() -> None:
    """EAGAIN, as the kernel says."""
    assert is_proof(explored(5).verdict)


def test_words_have_sleepers_of_their_own() -> None:
    """Each thread sleeps on another word, and the wake-ups do not meet."""
    assert is_proof(explored(6).verdict)


def test_time_may_be_over() -> None:
    """A wait with a limit ends though no thread wakes it."""
    assert is_proof(explored(8, threads=1).verdict)


@pytest.mark.parametrize(
    ("case", "says"), [(7, "two futexes share a bucket"), (9, "no model of this system call")]
)
def test_what_has_no_model_ends_the_run(case: int, says: str) -> None:
    """A verdict about it would be wrong."""
    found = explored(case)
    assert "violated" == found.verdict
    assert found.counterexample is not None
    assert says in str(found.counterexample)


@pytest.mark.parametrize(
    ("lock", "memory"), [("futex", "sc"), ("futex", "tso"), ("futex_rwlock", "sc")]
)
def test_two_threads_with_a_lock_are_proven(lock: str, memory: str) -> None:
    """Though waits end for no reason."""
    search = Search(threads=2, memory=memory, spurious=True)
    assert is_proof(explore_lock(lock, search).verdict)


@pytest.mark.slow
@pytest.mark.parametrize("memory", MEMORIES)
def test_three_threads_with_the_mutex_are_proven(memory: str) -> None:
    """A complete search of a section each."""
    assert is_proof(explore_lock("futex", Search(threads=3, memory=memory, spurious=False)).verdict)
