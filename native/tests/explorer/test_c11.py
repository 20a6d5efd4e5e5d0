"""C11's memory model in the explorer, against the checker's and against the axioms."""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from checker.models import axioms
from checker.models.shapes import checked_outcomes
from checker.models.test_litmus_c11 import SHAPES, THREE, XY, XYZ, matches

from locknative.explorer import Exploration, Program, Search
from locknative.explorer.locks import adapter, explore_lock, locks
from locknative.explorer.search import run
from locksim.checker.limits import is_proof

Operation = tuple[str, str, int, str]
"""As in checker.models.shapes: name, word, value, order."""

PROGRAMS = Path(__file__).parents[1] / "programs"

NAMES = ("load", "store", "swap", "fetch_add", "compare_swap", "fence")
ORDERS = ("RELAXED", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST")
OF_LOADS = ("RELAXED", "ACQUIRE", "SEQ_CST")
OF_STORES = ("RELAXED", "RELEASE", "SEQ_CST")


@pytest.fixture(scope="module")
def messages() -> Iterator[Program]:
    """The program that does what a file lists."""
    with Program([PROGRAMS / "messages.c"]) as program:
        yield program


def explored(
    messages: Program,
    program: list[list[Operation]],
    words: tuple[str, ...],
    folder: Path,
    patch: pytest.MonkeyPatch,
    standard: str = "c++20",
) -> tuple[Exploration, list[tuple[int, ...]]]:
    """Return the explorer's verdict, and how each of its runs ended."""
    numbers: list[int] = []
    for thread in program:
        numbers.append(len(thread))
        for name, word, value, order in thread:
            numbers += [NAMES.index(name), words.index(word), value, ORDERS.index(order)]
    (folder / "operations").write_bytes(struct.pack(f"{len(numbers)}i", *numbers))
    states = folder / "states"
    states.write_text("")
    patch.setenv("OPERATIONS", str(folder / "operations"))
    patch.setenv("STATES", str(states))
    how = Search(threads=len(program), memory="c11", release_sequences=standard)
    found = run(messages, how)
    ends = [tuple(map(int, line.split())) for line in states.read_text().splitlines()]
    return found, [(*end[: len(words)], *end[3:]) for end in ends]


@pytest.mark.parametrize("name", SHAPES | THREE)
def test_litmus(
    messages: Program, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All outcomes of a shape of the literature are the checker's, and what the axioms allow."""
    program, asked, allowed = (SHAPES | THREE)[name]
    words = XYZ if name in THREE else XY
    found, ends = explored(messages, program, words, tmp_path, monkeypatch)
    assert is_proof(found.verdict)
    assert allowed == any(matches(end, asked) for end in ends)
    assert axioms.outcomes(program, words) == set(ends)


def drawn(rng: random.Random, total: bool) -> list[list[Operation]]:
    """Return two or three threads of a few operations on two words."""
    orders = {
        "load": OF_LOADS,
        "store": OF_STORES,
        "swap": ORDERS,
        "fetch_add": ORDERS,
        "compare_swap": ORDERS,
        "fence": ORDERS[1:],
    }

    def operation() -> Operation:
        name = rng.choice(("load", "load", "store", "store", *NAMES[2:]))
        of = [order for order in orders[name] if total or order != "SEQ_CST"]
        return name, rng.choice(XY), rng.randint(1, 2), rng.choice(of)

    return [[operation() for _ in range(rng.randint(1, 3))] for _ in range(rng.choice((2, 2, 3)))]


def executions(program: list[list[Operation]], patch: pytest.MonkeyPatch) -> int:
    """Return how many executions the axioms allow, for programs without SEQ_CST."""
    consistent, found = axioms._consistent, 0

    def counted(*relations: object) -> bool:
        nonlocal found
        holds: bool = consistent(*relations)
        found += holds
        return holds

    with patch.context() as within:
        within.setattr(axioms, "_consistent", counted)
        axioms.outcomes(program, XY)
    return found


def compare(
    messages: Program, seed: int, count: int, folder: Path, patch: pytest.MonkeyPatch
) -> None:
    """Compare drawn programs with the axioms; without SEQ_CST no execution is run twice."""
    rng = random.Random(seed)
    for total in (i % 2 == 0 for i in range(count)):
        program = drawn(rng, total)
        if axioms.size(program, XY) > 2000:
            continue
        found, ends = explored(messages, program, XY, folder, patch)
        assert is_proof(found.verdict), program
        assert axioms.outcomes(program, XY) == set(ends), program
        if not any(operation[3] == "SEQ_CST" for thread in program for operation in thread):
            assert executions(program, patch) == found.traces, program


@pytest.mark.parametrize("seed", range(2))
def test_outcomes_are_what_the_axioms_allow(
    messages: Program, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs with messages on one side, relations without cycles on the other."""
    compare(messages, seed, 8, tmp_path, monkeypatch)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(10, 30))
def test_outcomes_of_many_are_what_the_axioms_allow(
    messages: Program, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same of more programs."""
    compare(messages, seed, 60, tmp_path, monkeypatch)


@pytest.mark.parametrize(
    "program",
    [
        [  # a step of SEQ_CST that fails after another would have succeeded before it
            [("store", "y", 2, "RELEASE"), ("compare_swap", "x", 1, "SEQ_CST")],
            [("load", "y", 0, "SEQ_CST"), ("fetch_add", "x", 2, "RELEASE")],
            [("load", "x", 0, "SEQ_CST"), ("load", "y", 0, "SEQ_CST")],
        ],
        [  # what a SEQ_CST load could read before a store comes from a third thread
            [("load", "y", 0, "SEQ_CST"), ("fetch_add", "y", 1, "ACQUIRE")],
            [("store", "y", 1, "SEQ_CST")],
            [("compare_swap", "y", 2, "ACQUIRE")],
        ],
        [  # an update that fails behind another's has other choices
            [("compare_swap", "x", 2, "ACQUIRE"), ("store", "x", 2, "RELAXED")],
            [("swap", "x", 1, "RELAXED"), ("store", "y", 1, "RELAXED")],
        ],
    ],
)
def test_outcomes_that_were_once_missing(
    messages: Program,
    program: list[list[Operation]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Reversals of steps whose choices depend on their order."""
    _, ends = explored(messages, program, XY, tmp_path, monkeypatch)
    assert axioms.outcomes(program, XY) == set(ends)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(20))
def test_outcomes_are_the_checkers(
    messages: Program, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same program in C and in the lock language has the same outcomes."""
    program = drawn(random.Random(seed), total=True)
    _, ends = explored(messages, program, XY, tmp_path, monkeypatch)
    assert checked_outcomes(program, "c11") == set(ends), program


@pytest.mark.parametrize(("standard", "goes_on"), [("c11", True), ("c++20", False)])
def test_release_sequence(
    messages: Program,
    standard: str,
    goes_on: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One's own later store carries a release on by C11, unless another's store comes between."""
    releases = [("store", "x", 1, "RELAXED"), ("store", "y", 1, "RELEASE")]
    reads = [("load", "y", 0, "ACQUIRE"), ("load", "x", 0, "RELAXED")]
    program = [[*releases, ("store", "y", 2, "RELAXED")], reads]
    _, ends = explored(messages, program, XY, tmp_path, monkeypatch, standard)
    assert goes_on == ((2, 0) not in {end[2:] for end in ends})
    program.append([("store", "y", 3, "RELAXED")])
    _, ends = explored(messages, program, XY, tmp_path, monkeypatch, standard)
    assert (2, 0) in {end[2:] for end in ends}


def each_lock() -> Iterator[Any]:
    """Every lock; some are slow, for each is compiled."""
    for lock in locks():
        at_once = lock in ("mcs", "seqlock", "qrwlock")
        yield pytest.param(lock, marks=() if at_once else (pytest.mark.slow,))


@pytest.mark.parametrize("lock", [*each_lock()])
def test_every_lock_is_proven(lock: str) -> None:
    """The library's locks are right under C11 with two threads."""
    assert is_proof(explore_lock(lock, Search(threads=2, memory="c11")).verdict)


WEAKER = {"acquire": ("relaxed",), "release": ("relaxed",), "acq_rel": ("acquire", "release")}


def weakened() -> Iterator[Any]:
    """Every order of some locks, one after the other weaker; most of them are slow."""
    headers = adapter("tas").parents[1] / "include/locklab"
    for lock in ("tas", "ttas", "ticket", "mcs", "clh", "seqlock"):
        text = (headers / f"{lock}.h").read_text()
        orders = re.finditer(r"memory_order_(acquire|release|acq_rel)\b(?=[,)])", text)
        for i, found in enumerate(orders):
            for weaker in WEAKER[found[1]]:
                changed = text[: found.start(1)] + weaker + text[found.end(1) :]
                line = text.count("\n", 0, found.start()) + 1
                at_once = (lock, i) in (("mcs", 0), ("mcs", 1), ("seqlock", 1))
                yield pytest.param(
                    lock,
                    changed,
                    id=f"{lock}.h:{line}-{weaker}",
                    marks=() if at_once else (pytest.mark.slow,),
                )


@pytest.mark.parametrize(("lock", "header"), [*weakened()])
def test_every_order_is_needed(lock: str, header: str, tmp_path: Path) -> None:
    """A lock with one order weakened is caught with two threads."""
    (tmp_path / "locklab").mkdir()
    (tmp_path / "locklab" / f"{lock}.h").write_text(header)
    search = Search(threads=2, memory="c11")
    assert "violated" == explore_lock(lock, search, includes=[tmp_path]).verdict


@pytest.mark.parametrize(("bug", "found"), [(0, ""), (7, "race")])
def test_rcu(bug: int, found: str) -> None:
    """A pointer under RCU is right; published by a RELAXED store it is not."""
    with Program([PROGRAMS / "rcu.c"], [f"BUG={bug}"]) as program:
        assert found == run(program, Search(memory="c11")).found


def test_sizes_are_not_mixed(tmp_path: Path) -> None:
    """Atomics of different sizes at one place have no verdict, unless one comes after the other."""
    file = tmp_path / "sizes.c"
    file.write_text(
        "#include <stdint.h>\nstatic union { uint32_t word; uint8_t byte; } both;\n"
        "void locklab_thread(int me) {\n"
        "if (me) __atomic_store_n(&both.byte, 1, __ATOMIC_RELAXED);\n"
        "else __atomic_load_n(&both.word, __ATOMIC_RELAXED); }\n"
        "void locklab_check(void) { __atomic_load_n(&both.byte, __ATOMIC_RELAXED); }\n"
    )
    with Program([file]) as program:
        two, one = (run(program, Search(threads=n, memory="c11")) for n in (2, 1))
    assert ("unfinished", "proven") == (two.verdict, one.verdict)
    assert "bytes at the same place" in two.limits[0]


def test_counterexample_says_what_is_old() -> None:
    """A load of an old value says how many newer ones there are; the run can be had again."""
    with Program([PROGRAMS / "litmus.c"], ["TEST=MP"]) as program:
        found = run(program, Search(memory="c11"))
        again = run(program, Search(memory="c11", replay=found.choices))
    assert found.counterexample is not None
    assert [1] == [step.behind for step in found.counterexample.steps if step.behind]
    assert found.counterexample == again.counterexample


def test_other_searches_read_old_values() -> None:
    """A bounded search and random runs find message passing without orders too."""
    with Program([PROGRAMS / "litmus.c"], ["TEST=MP"]) as program:
        bounded = run(program, Search(memory="c11", preemptions=1))
        drawn = run(program, Search(memory="c11", pct=2, runs=1000))
    assert ("violated", "violated") == (bounded.verdict, drawn.verdict)
