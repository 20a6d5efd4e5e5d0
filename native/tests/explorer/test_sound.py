"""Programs whose verdict was once wrong, and what it is by thought."""

from __future__ import annotations

from pathlib import Path

import pytest

from locknative.explorer import Exploration, Program, Search
from locknative.explorer.search import run
from locksim.checker.limits import is_proof, limit

PROGRAMS = Path(__file__).parents[1] / "programs"


def explored(case: int, wanted: int = 0, **how: object) -> Exploration:
    """Return what is found in a case of sound.c."""
    with Program([PROGRAMS / "sound.c"], [f"CASE={case}", f"WANTED={wanted}"]) as program:
        return run(program, Search(**how))  # type: ignore[arg-type]


@pytest.mark.covering("case", every=4)
@pytest.mark.parametrize(
    ("case", "memory", "verdict", "found"),
    [
        (1, "sc", "violated", "assertion"),
        (2, "sc", "proven", ""),
        (2, "tso", "proven", ""),
        (3, "sc", "proven", ""),
        (3, "tso", "proven", ""),
        (4, "sc", "proven", ""),
        (4, "tso", "violated", "assertion"),
        (6, "sc", "proven", ""),
        (6, "tso", "violated", "assertion"),
        (7, "sc", "violated", "deadlock"),
        (8, "sc", "violated", "race"),
        (9, "sc", "violated", "memory"),
        (10, "sc", "bounded", ""),
        (11, "sc", "proven", ""),
        (12, "sc", "proven", ""),
        (13, "sc", "proven", ""),
        (14, "sc", "violated", "race"),
        (15, "sc", "violated", "race"),
        (16, "sc", "violated", "memory"),
        (17, "sc", "violated", "memory"),
        (20, "sc", "proven", ""),
        (22, "sc", "proven", ""),
        (23, "sc", "violated", "leak"),
        (26, "sc", "violated", "race"),
        (27, "sc", "proven", ""),
        (28, "sc", "violated", "memory"),
        (29, "sc", "violated", "memory"),
        (30, "sc", "violated", "memory"),
        (31, "sc", "proven", ""),
    ],
)
def test_verdict(case: int, memory: str, verdict: str, found: str) -> None:
    """Neither a false proof nor a false alarm."""
    seen = explored(case, memory=memory)
    said = "proven" if is_proof(seen.verdict) else seen.verdict
    assert (verdict, found) == (said, seen.found)


@pytest.mark.parametrize("last", [1, 2])
def test_buffers_empty_in_any_order(last: int) -> None:
    """Either of two stores can be the last to arrive after both threads have ended."""
    assert "violated" == explored(5, last, memory="tso").verdict


@pytest.mark.parametrize("result", [0, 110])
def test_time_may_be_over(result: int) -> None:
    """A timed wait ends by a signal, and by time (ETIMEDOUT is 110 on Linux)."""
    assert "assertion" == explored(21, result).found


@pytest.mark.parametrize("case", [18, 19])
def test_spurious(case: int) -> None:
    """A wake-up, and a weak compare-and-swap that fails, for no reason; a limit where not tried."""
    assert "assertion" == explored(case).found
    seen = explored(case, spurious=False)
    assert ("proven within limits", [limit("spurious")]) == (seen.verdict, seen.limits)


@pytest.mark.parametrize(("case", "found"), [(32, "memory"), (33, "")])
def test_malloc_fails(case: int, found: str) -> None:
    """A block that is not there: on request; else a limit of the proof."""
    seen = explored(case)
    assert ("proven within limits", [limit("allocation")]) == (seen.verdict, seen.limits)
    seen = explored(case, malloc_fails=True)
    assert (found, [], bool(found)) == (seen.found, seen.limits, seen.verdict == "violated")


def test_leaks_can_be_left_out() -> None:
    """Who does not care for leaks gets no report of them."""
    assert is_proof(explored(23, leaks=False).verdict)


def test_release_sequences() -> None:
    """C11's go on with later stores of the same thread, C++20's end there."""
    assert is_proof(explored(24).verdict)
    assert "race" == explored(24, release_sequences="c++20").found


def test_livelock_is_no_deadlock() -> None:
    """Two threads that make way for one another can do so for ever; none of them is stuck."""
    seen = explored(25)
    assert ("unfinished", "") == (seen.verdict, seen.found)
    assert "for ever" in seen.limits[0]


def test_more_threads_than_sixteen_and_exit() -> None:
    """Threads that have ended make room for none, and what main() holds at exit() is no leak."""
    with Program([PROGRAMS / "many.c"]) as program:
        assert is_proof(run(program, Search()).verdict)


def test_grace_period_drains_readers() -> None:
    """What a reader stored in its section has arrived when the grace period is over."""
    with Program([PROGRAMS / "grace.c"]) as program:
        assert is_proof(run(program, Search(memory="tso")).verdict)
