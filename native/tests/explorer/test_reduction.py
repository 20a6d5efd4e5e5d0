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
READERS = (every.LOAD, every.ADD, every.READ, every.WRITE, every.LEAVE, every.POST, every.WAIT)
WAITS = (every.LOAD, every.STORE, every.ADD, every.AWAIT, every.POLL, every.TAS, every.ANNOUNCE)


INSIDE = 4
"""Among the mutexes that a thread holds: it is inside the reader-writer lock."""


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
            if what in (every.READ, every.WRITE, every.LEAVE):
                if (INSIDE in held) == (what == every.LEAVE):
                    held ^= {INSIDE}
                else:
                    what = every.ADD
            elif what == every.LOCK and free:
                held.add(word)
            elif what == every.UNLOCK and word in held:
                held.discard(word)
            elif what in (every.LOCK, every.UNLOCK) or (what == every.TRY and not free):
                what = every.LOAD
            value = rng.randint(0, 1) if what in (every.AWAIT, every.POLL) else rng.randint(1, 2)
            operations.append((what, word, value))
        if rng.random() < 0.8:
            operations += [
                (every.LEAVE, 0, 0) if word == INSIDE else (every.UNLOCK, word, 0)
                for word in sorted(held)
            ]
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
        kinds, memory = rng.choice((PLAIN, LOCKS, READERS, WAITS)), rng.choice(("sc", "tso"))
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


ENTER_TO_READ = ((every.READ, 0, 0), (every.LEAVE, 0, 0))
ENTER_TO_WRITE = ((every.WRITE, 0, 0), (every.LEAVE, 0, 0))
GET_AND_PUT_BACK = ((every.LOCK, 0, 0), (every.UNLOCK, 0, 0))
POST, WAIT = (every.POST, 0, 0), (every.WAIT, 0, 0)


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ((GET_AND_PUT_BACK,) * 3, 6),
        ((GET_AND_PUT_BACK * 2,) * 3, 90),
        ((ENTER_TO_READ,) * 3, 1),
        ((ENTER_TO_READ, ENTER_TO_READ, ENTER_TO_WRITE), 4),
        ((ENTER_TO_WRITE,) * 3, 6),
        (((POST,),) * 3, 1),
        (((POST, POST), (WAIT, WAIT)), 2),
        (((POST,), (POST,), (WAIT, WAIT)), 3),
    ],
)
def test_locks_are_run_once_for_each_order_that_matters(
    table: Program,
    program: every.Program,
    expected: int,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Orders of owners, of readers among writers, of posts among waits; and no run is cut short."""
    found, _ = explored(table, program, "sc", tmp_path, monkeypatch)
    assert (expected, expected) == (found.traces, found.runs)


def test_who_is_not_inside_cannot_leave(tmp_path: Path) -> None:
    """An unlock is wrong also where another thread reads."""
    file = tmp_path / "leaves.c"
    file.write_text(
        "#include <pthread.h>\nstatic pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;\n"
        "void locklab_setup(void) { pthread_rwlock_rdlock(&lock); }\n"
        "void locklab_thread(int me) { if (me) pthread_rwlock_unlock(&lock); }\n"
        "void locklab_check(void) { pthread_rwlock_unlock(&lock); }\n"
    )
    with Program([file]) as program:
        assert "exclusion" == run(program, Search()).found
    file.write_text(file.read_text().replace("if (me) ", "if (me > 1) "))
    with Program([file]) as program:
        assert "proven" == run(program, Search()).verdict
