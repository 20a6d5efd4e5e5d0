"""Consistency: what bench wrote passes, and whoever edits it must edit all that follows.

What is edited is made up, so that an edit finds the same measurement on every machine.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest
from made_up import consistent

import locknative
from locknative import Stopping
from locknative.benchmark.consistency import contradictions
from locknative.benchmark.measurement import Measurement


def with_trial(made: Measurement, number: int, **changes: Any) -> Measurement:
    """The measurement with a trial that differs."""
    trials = [*made.trials]
    trials[number] = trials[number].model_copy(update=changes)
    return made.model_copy(update={"trials": tuple(trials)})


def with_tally(made: Measurement, **factors: float) -> Measurement:
    """The measurement with other values of a thread."""
    trial = made.trials[3]
    values = {name: round(getattr(trial.tallies[0], name) * k) for name, k in factors.items()}
    tallies = (trial.tallies[0].model_copy(update=values), *trial.tallies[1:])
    return with_trial(made, 3, tallies=tallies)


def renamed(made: Measurement, **times: float) -> Measurement:
    """The measurement as one of a load with other times."""
    cells = [cell.model_copy(update=times) for cell in made.cells]
    return made.model_copy(update={"cells": tuple(cells)})


def without(made: Measurement, number: int) -> Measurement:
    """The measurement without a trial, the others numbered anew."""
    left = [t for t in made.trials if t.number != number]
    left = [t.model_copy(update={"number": n}) for n, t in enumerate(left)]
    return made.model_copy(update={"trials": tuple(left)})


def assert_consistent(made: Measurement) -> None:
    """Also after a way through JSON, and with fewer trials after Ctrl-C."""
    again = Measurement.model_validate_json(made.model_dump_json())
    assert [] == [*contradictions(again)]
    short = made.model_copy(update={"trials": made.trials[:5], "complete": False})
    assert [] == [*contradictions(short)]


@pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")
def test_what_bench_wrote_is_consistent() -> None:
    """Two cells on real cores; short trials, whatever else the machine does."""
    assert_consistent(
        locknative.bench(
            ["ticket", "mcs"],
            2,
            think_ns=500.0,
            duration_ms=10,
            warmup_ms=1,
            stopping=Stopping(trials=11),
            seed=5,
        )
    )


def test_what_is_made_up_is_consistent() -> None:
    """So an edit is all that is wrong with it. One trial of it was disturbed."""
    assert_consistent(consistent())
    assert [4] == [trial.number for trial in consistent().trials if trial.rejected]


EDITS: dict[str, tuple[Callable[[Measurement], Measurement], str]] = {
    "more sections": (lambda m: with_tally(m, count=1.5), "sides do not add up"),
    "more sections on one side": (
        lambda m: with_tally(m, count=1e9),
        "more private work than",
    ),
    "less time": (
        lambda m: with_trial(with_tally(m, wall_ns=0.4, cpu_ns=0.4), 3, rejected=()),
        "not all of them together), and is marked as good",
    ),
    "another seed": (lambda m: m.model_copy(update={"seed": 6}), "seed 6 gives"),
    "left out": (lambda m: without(m, 2), "is not the one that the seed"),
    "copied": (
        lambda m: with_trial(m, 4, tallies=m.trials[2].tallies, rejected=m.trials[2].rejected),
        "trial 4 is a copy of trial 2",
    ),
    "marked as slow": (lambda m: with_trial(m, 1, rejected=("slow",)), "trial 1 was not disturbed"),
    "marked as good": (lambda m: with_trial(m, 4, rejected=()), "trial 4 was disturbed"),
    "another load": (lambda m: renamed(m, think_ns=0.0), "iterations of private work"),
    "much private work": (
        lambda m: renamed(m, think=10**9, think_ns=1e9 * m.clock.turn_ns),
        "more private work than",
    ),
    "another day": (
        lambda m: with_trial(m, 0, began="2026-01-01T00:00:00+00:00"),
        "begins before the whole",
    ),
    "at once": (lambda m: with_trial(m, 1, began=m.trials[0].began), "can have ended"),
}


@pytest.mark.parametrize("edit", EDITS)
def test_an_edit_is_found(edit: str) -> None:
    """One value is changed, and not what follows from it."""
    change, words = EDITS[edit]
    assert any(words in one for one in contradictions(change(consistent())))
