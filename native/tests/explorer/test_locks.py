"""The explorer over every lock, right and wrong."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import native_zoo as zoo
import pytest

from locknative.compilation import executable
from locknative.errors import NativeError
from locknative.explorer import Search
from locknative.explorer.locks import explore_lock, locks, program
from locknative.explorer.search import run

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


@pytest.mark.slow
def test_qspinlock_by_parts() -> None:
    """The variant that stores bytes and half words, as x86 does, is right too."""
    from locknative.explorer import Program
    from locknative.explorer.locks import adapter

    defines = ['LOCKLAB_LOOP="explorer/client.h"', "LOCKLAB_QSPINLOCK_PARTS=1"]
    with Program([adapter("qspinlock")], defines) as compiled:
        for memory in ("sc", "tso"):
            found = run(compiled, Search(threads=3, memory=memory, preemptions=2))
            assert "bounded" == found.verdict


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
        assert "proven" == found.verdict


@pytest.mark.parametrize("memory", ["sc", "tso"])
@pytest.mark.parametrize("lock", ["ticket", "mcs"])
def test_three_threads_are_proven(lock: str, memory: str) -> None:
    """The reduction proves queue locks with three threads."""
    assert "proven" == explore_lock(lock, Search(threads=3, memory=memory)).verdict


def test_unknown_lock() -> None:
    """A name that is not there is refused with the nearest that is."""
    with pytest.raises(NativeError, match="did you mean 'mcs'"):
        program("mcz")
