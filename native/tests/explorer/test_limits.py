"""Limits of a proof under c11: named where C11 reorders what the explorer does not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from explorer.test_c11 import PROGRAMS, Operation, explored

from locknative.explorer import Program, Search
from locknative.explorer.search import run
from locksim.checker.limits import LIMITS, proven

XY = ("x", "y")
ACQUIRE_FENCE: Operation = ("fence", "x", 0, "ACQUIRE")


@pytest.fixture(scope="module")
def messages() -> Iterator[Program]:
    """The program that does what a file lists."""
    with Program([PROGRAMS / "messages.c"]) as program:
        yield program


def named(limits: list[str]) -> list[str]:
    """Return the names of some limits."""
    starts = {name: text.partition("{")[0] for name, text in LIMITS.items()}
    return [next(name for name, start in starts.items() if s.startswith(start)) for s in limits]


def load(word: str, order: str) -> Operation:
    """Return a load."""
    return ("load", word, 0, order)


def store(word: str, order: str) -> Operation:
    """Return a store of 1."""
    return ("store", word, 1, order)


RELAXED = [load("x", "RELAXED"), store("y", "RELAXED")]
ANSWER = [load("y", "RELAXED"), store("x", "RELAXED")]


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        ([RELAXED, ANSWER], ["load-buffering"]),
        ([RELAXED, RELAXED], []),
        ([[load("x", "ACQUIRE"), RELAXED[1]], [load("y", "ACQUIRE"), ANSWER[1]]], []),
        ([[RELAXED[0], ACQUIRE_FENCE, RELAXED[1]], [ANSWER[0], ACQUIRE_FENCE, ANSWER[1]]], []),
        (
            [
                [store("x", "SEQ_CST"), store("y", "RELAXED")],
                [load("y", "ACQUIRE"), load("x", "SEQ_CST")],
            ],
            ["seq-cst"],
        ),
        (
            [
                [store("x", "SEQ_CST"), store("y", "RELEASE")],
                [load("y", "ACQUIRE"), load("x", "SEQ_CST")],
            ],
            [],
        ),
        (
            [
                [load("x", "SEQ_CST"), ("swap", "x", 1, "SEQ_CST")],
                [load("x", "RELAXED"), load("x", "SEQ_CST")],
            ],
            [],
        ),
    ],
    ids=["relaxed", "no answer", "acquire", "fence", "relaxed flag", "released flag", "coherent"],
)
def test_limits_of_orders(
    messages: Program,
    program: list[list[Operation]],
    expected: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A pair of operations gives a limit only where another thread could notice their order."""
    found, _ = explored(messages, program, XY, tmp_path, monkeypatch)
    assert (proven(expected), expected) == (found.verdict, named(found.limits))


@pytest.mark.parametrize(("depends", "expected"), [(0, 1), (1, 0), (2, 0)])
def test_what_depends_stays_behind(depends: int, expected: int) -> None:
    """A store that depends on a load, by a branch or by its value, does not overtake it."""
    with Program([PROGRAMS / "depends.c"], [f"DEPENDS={depends}"]) as program:
        found, two = (run(program, Search(memory="c11", workers=n)) for n in (1, 2))
    assert ["load-buffering"] * expected == named(found.limits)
    assert found.limits == two.limits
    assert all(text.count("depends.c:") == 2 for text in found.limits)


def test_only_under_c11() -> None:
    """Under sc and tso the machine is the model."""
    with Program([PROGRAMS / "depends.c"], ["DEPENDS=0"]) as program:
        assert [] == run(program, Search(memory="tso")).limits
