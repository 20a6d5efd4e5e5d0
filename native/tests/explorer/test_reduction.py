"""The reduction against all interleavings, which interleavings.py makes one by one."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from pathlib import Path

import interleavings as every
import pytest

from locknative.explorer import Exploration, Program, Search
from locknative.explorer.search import run

PLAIN = (every.LOAD, every.STORE, every.STORE_SC, every.ADD, every.CAS, every.FENCE)
LOCKS = (every.LOAD, every.STORE, every.ADD, every.LOCK, every.UNLOCK, every.TRY)
WAITS = (every.LOAD, every.STORE, every.ADD, every.AWAIT, every.POLL, every.TAS, every.ANNOUNCE)


@pytest.fixture(scope="module")
def table() -> Iterator[Program]:
    """The program that does what a file lists."""
    with Program([Path(__file__).parents[1] / "programs/table.c"]) as program:
        yield program


def drawn(rng: random.Random, kinds: tuple[int, ...]) -> every.Program:
    """Return two or three threads of a few operations; a mutex is unlocked by who holds it."""
    threads = []
    for _ in range(rng.choice((2, 2, 3))):
        operations: list[every.Operation] = []
        held: set[int] = set()
        for _ in range(rng.randint(1, 3)):
            what, word = rng.choice(kinds), rng.randrange(2)
            free = what in (every.LOCK, every.TRY) and word not in held
            if what == every.LOCK and free:
                held.add(word)
            elif what == every.UNLOCK and word in held:
                held.discard(word)
            elif what in (every.LOCK, every.UNLOCK) or (what == every.TRY and not free):
                what = every.LOAD
            value = rng.randint(0, 1) if what in (every.AWAIT, every.POLL) else rng.randint(1, 2)
            operations.append((what, word, value))
        if rng.random() < 0.8:
            operations += [(every.UNLOCK, word, 0) for word in sorted(held)]
        threads.append(tuple(operations))
    return tuple(threads)


def explored(
    table: Program, program: every.Program, memory: str, folder: Path, patch: pytest.MonkeyPatch
) -> tuple[Exploration, set[tuple[int, ...]]]:
    """Return the explorer's verdict, and how its runs ended."""
    numbers = [n for thread in program for n in (len(thread), *(n for op in thread for n in op))]
    (folder / "operations").write_bytes(struct.pack(f"{len(numbers)}i", *numbers))
    states = folder / "states"
    states.write_text("")
    patch.setenv("OPERATIONS", str(folder / "operations"))
    patch.setenv("STATES", str(states))
    found = run(table, Search(threads=len(program), memory=memory, seconds=60))
    return found, {tuple(map(int, line.split())) for line in states.read_text().splitlines()}


def compare(table: Program, seed: int, count: int, folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Compare drawn programs."""
    rng = random.Random(seed)
    for _ in range(count):
        kinds, memory = rng.choice((PLAIN, LOCKS, WAITS)), rng.choice(("sc", "tso"))
        program = drawn(rng, kinds)
        found, outcomes = explored(table, program, memory, folder, patch)
        graph = every.Graph(program, memory == "tso")
        told = program, memory, found.limits
        if found.verdict == "proven":
            assert not graph.can_fail_to_end, told
            assert graph.outcomes == outcomes, told
            if kinds == PLAIN:
                assert every.traces(program, memory == "tso") == found.traces, told
        elif found.verdict == "violated":
            assert "deadlock" == found.found, told
            assert graph.can_fail_to_end, told
        else:
            assert graph.can_go_round, told


@pytest.mark.parametrize("seed", range(3))
def test_same_outcomes(
    table: Program, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Final states and verdicts are those of all interleavings, and no trace is run twice."""
    compare(table, seed, 8, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 30))
def test_same_outcomes_of_many(
    table: Program, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same of more programs."""
    compare(table, seed, 40, tmp_path, monkeypatch)


def test_counts_of_theory(table: Program, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Updates of one word by n threads have n! orders; loads of it have one."""
    for what, expected in ((every.ADD, 6), (every.LOAD, 1)):
        program = (((what, 0, 1),),) * 3
        found, _ = explored(table, program, "sc", tmp_path, monkeypatch)
        assert (expected, expected) == (found.traces, found.runs)
