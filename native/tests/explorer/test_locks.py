"""The explorer over every lock, right and wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import native_zoo as zoo
import pytest

from locknative.compilation import executable, toolchain
from locknative.errors import NativeError
from locknative.explorer import Search
from locknative.explorer.locks import explore_lock, halves, locks, program
from locknative.explorer.search import run
from locksim.checker.limits import is_proof

BUGS = zoo.bugs()
MEMORIES = ("sc", "tso")


def each_bug() -> Iterator[Any]:
    """Every bug; all but the first one of each lock are slow, for each is compiled."""
    seen = set()
    for bug in BUGS:
        yield pytest.param(bug, marks=(pytest.mark.slow,) if bug.lock in seen else (), id=str(bug))
        seen.add(bug.lock)


def test_every_lock_is_there() -> None:
    """The locks that are explored are those that the harness runs, but for liburcu's."""
    with_header = set(locks())
    assert with_header <= set(executable.locks())


def test_every_lock_has_bugs() -> None:
    """At least three for each, under different names."""
    for lock in locks():
        names = [bug.name for bug in BUGS if bug.lock == lock]
        assert len(names) >= 3
        assert len(set(names)) == len(names)


@pytest.mark.covering("lock", "memory", every=4)
@pytest.mark.parametrize("memory", MEMORIES)
@pytest.mark.parametrize("lock", locks())
def test_right_locks_are_not_accused(lock: str, memory: str) -> None:
    """No lock of the library is violated, and every search comes to its end."""
    found = explore_lock(lock, Search(threads=2, memory=memory, preemptions=2), rounds=2)
    assert "bounded" == found.verdict


def test_every_switch_has_its_halves() -> None:
    """What a header compiles by an #if of its own is explored both ways."""
    folder = toolchain.sources() / "include/locklab"
    for lock in locks():
        text = (folder / f"{lock}.h").read_text()
        switches = set(re.findall(r"^#(?:el)?if (LOCKLAB_\w+)$", text, re.MULTILINE))
        expected = {f"{switch}={value}" for switch in switches for value in (0, 1)}
        assert (lock, expected or {""}) == (lock, set(halves(lock)))


@pytest.mark.parametrize("half", halves("qspinlock"))
@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
def test_both_halves_are_proven(memory: str, half: str) -> None:
    """Also the one that only x86 runs; where C11 has no answer, as x86 does it."""
    found = explore_lock("qspinlock", Search(threads=3, memory=memory), half=half)
    assert ("proven", f"qspinlock ({half})") == (found.verdict, found.program)
    assert (memory if half.endswith("0") or memory != "c11" else "tso") == found.memory


def test_each_half_has_its_release(tmp_path: Path) -> None:
    """One that is too weak is found in the half that has it, and only there."""
    text = (toolchain.sources() / "include/locklab/qspinlock.h").read_text()
    right = "atomic_store_explicit(&lock->locked, 0, memory_order_release)"
    assert 1 == text.count(right)
    weak = text.replace(right, right.replace("release", "relaxed"))
    (tmp_path / "locklab").mkdir()
    (tmp_path / "locklab/qspinlock.h").write_text(weak)
    found = [
        explore_lock("qspinlock", Search(threads=2), includes=[tmp_path], half=half).found
        for half in halves("qspinlock")
    ]
    assert ["", "race"] == found


@pytest.mark.covering("bug", every=2)
@pytest.mark.parametrize("bug", [*each_bug()])
def test_wrong_locks_are_caught(bug: zoo.Bug) -> None:
    """Each bug of the zoo is found with two preemptions."""
    with bug.folder() as folder:
        search = Search(threads=bug.threads, preemptions=2)
        found = explore_lock(bug.lock, search, rounds=bug.rounds, includes=[folder])
    assert "violated" == found.verdict
    assert found.counterexample is not None
    assert found.counterexample.steps


def test_two_threads_are_proven() -> None:
    """Small clients are explored without any bound."""
    for lock, memory in (("tas", "tso"), ("ticket", "tso"), ("mcs", "sc"), ("clh", "sc")):
        with program(lock) as compiled:
            found = run(compiled, Search(threads=2, memory=memory))
        assert is_proof(found.verdict)


@pytest.mark.parametrize("memory", ["sc", "tso"])
@pytest.mark.parametrize("lock", ["ticket", "mcs"])
def test_three_threads_are_proven(lock: str, memory: str) -> None:
    """The reduction proves queue locks with three threads."""
    assert is_proof(explore_lock(lock, Search(threads=3, memory=memory)).verdict)


def test_unknown_lock() -> None:
    """A name that is not there is refused with the nearest that is."""
    with pytest.raises(NativeError, match="did you mean 'mcs'"):
        program("mcz")
