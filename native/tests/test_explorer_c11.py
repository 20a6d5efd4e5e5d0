"""C11's memory model in the explorer, against the checker's and against the axioms."""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from pathlib import Path

import pytest
from checker.models import axioms
from checker.models.shapes import checked_outcomes
from checker.models.test_litmus_c11 import SHAPES, THREE, XY, XYZ, matches

from locknative.explorer import Exploration, Program, Search
from locknative.explorer.search import run

Operation = tuple[str, str, int, str]
"""As in checker.models.shapes: name, word, value, order."""

NAMES = ("load", "store", "swap", "fetch_add", "compare_swap", "fence")
ORDERS = ("RELAXED", "ACQUIRE", "RELEASE", "ACQ_REL", "SEQ_CST")
OF_LOADS = ("RELAXED", "ACQUIRE", "SEQ_CST")
OF_STORES = ("RELAXED", "RELEASE", "SEQ_CST")


@pytest.fixture(scope="module")
def messages() -> Iterator[Program]:
    """The program that does what a file lists."""
    with Program([Path(__file__).parent / "programs/messages.c"]) as program:
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
    assert "proven" == found.verdict
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


def compare(
    messages: Program, seed: int, count: int, folder: Path, patch: pytest.MonkeyPatch
) -> None:
    """Compare drawn programs with the axioms."""
    rng = random.Random(seed)
    for _ in range(count):
        program = drawn(rng, rng.random() < 0.5)
        if axioms.size(program, XY) > 2000:
            continue
        found, ends = explored(messages, program, XY, folder, patch)
        assert "proven" == found.verdict, program
        assert axioms.outcomes(program, XY) == set(ends), program


@pytest.mark.parametrize("seed", range(3))
def test_outcomes_are_what_the_axioms_allow(
    messages: Program, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Runs with messages on one side, relations without cycles on the other."""
    compare(messages, seed, 12, tmp_path, monkeypatch)
