"""Structures on real cores: right answers, nothing lost, with fewer and more threads than CPUs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import locknative
from locknative import StuckError
from locknative.compilation import executable
from locknative.survey import process
from locknative.survey.cells import Cell

WORK = 40320
PATIENCE_S = 600.0
"""A guard against a hang: eight spinning threads on a busy machine take their time."""
STRUCTURES = [kernel.name for kernel in executable.kernels() if kernel.kind == "structure"]
DEAR = "dcache_seqwriter"
"""Its walks take every entry's lock, and so the longest."""


def test_names() -> None:
    """The structures are there, those under RCU where liburcu was found."""
    avc = ["avc_spinlock", "avc_rwlock", "avc_slot"] + ["avc_rcu"] * locknative.has_urcu
    assert set(avc) <= set(STRUCTURES)


def shapes() -> Iterator[Any]:
    """Every structure by two threads, one by more than there are CPUs; the rest is slow."""
    for structure in STRUCTURES:
        for threads in (1, 2, 3, 8):
            short = (threads == 2 and structure != DEAR) or (structure, threads) == (
                "avc_spinlock",
                8,
            )
            yield pytest.param(structure, threads, marks=() if short else (pytest.mark.slow,))


@pytest.mark.parametrize(("structure", "threads"), [*shapes()])
def test_validate(structure: str, threads: int) -> None:
    """No wrong answer, no broken invariant, nothing lost."""
    validation = locknative.validate(structure, threads, WORK, patience_s=PATIENCE_S)
    assert validation.correct
    assert (WORK // threads,) * threads == validation.counts


@pytest.mark.parametrize("structure", STRUCTURES)
def test_throughput(structure: str) -> None:
    """Operations are counted and timed."""
    path, cell = executable.path(), Cell(structure, ())
    (tally,) = process.run_trial(path, cell, threads=1, duration_ms=10)["tallies"]
    assert tally["count"] > 0


@pytest.mark.parametrize(
    "structure",
    [pytest.param(one, marks=[pytest.mark.slow] if one == DEAR else []) for one in STRUCTURES],
)
def test_given_up(structure: str) -> None:
    """A run that is given up ends, and says so."""
    with pytest.raises(StuckError):
        locknative.validate(structure, 2, WORK * 10**6, patience_s=0.02)
