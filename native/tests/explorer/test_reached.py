"""Interruptions at words of one thread: leaving them out hides no error and saves the runs."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from locknative.explorer import Program, Search
from locknative.explorer.search import _options, run

PROGRAMS = Path(__file__).parents[1] / "programs"


def explored(program: Program, memory: str, skip: bool, **more: int) -> dict[str, Any]:
    """The report of a bounded search."""
    options = _options(Search(memory=memory, preemptions=2, leaks=False))
    for name, value in {**more, "skip-private": int(skip)}.items():
        options += [name, value]
    done = subprocess.run([program.path, "-", *map(str, options)], capture_output=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize(
    ("shared", "memory", "found"),
    [(0, "sc", ""), (1, "sc", "assertion"), (2, "sc", ""), (2, "tso", "assertion"),
     (3, "sc", "assertion")],
)  # fmt: skip
def test_the_same_verdict(shared: int, memory: str, found: str) -> None:
    """As with every interruption, in fewer runs; also of a word that turns out to be shared."""
    with Program([PROGRAMS / "reached.c"], [f"SHARED={shared}", "OWN=5"]) as program:
        every, few = (explored(program, memory, skip) for skip in (False, True))
        again = run(program, Search(memory=memory, preemptions=2, replay=few["choices"]))
    assert (found, found) == (every["found"], few["found"])
    assert found or few["runs"] < every["runs"]
    assert found in ("", again.counterexample and again.counterexample.found)


def test_many_words_cost_nothing() -> None:
    """Ten times as many steps on words of one's own, and as many runs."""
    runs = set()
    for own in (5, 50):
        with Program([PROGRAMS / "reached.c"], ["SHARED=2", f"OWN={own}"]) as program:
            runs.add(explored(program, "sc", True)["runs"])
    assert 1 == len(runs)


@pytest.mark.slow
@pytest.mark.parametrize("case", range(1, 21))
@pytest.mark.parametrize("memory", ["sc", "tso"])
def test_programs_whose_verdict_was_once_wrong(case: int, memory: str) -> None:
    """The verdict does not depend on what is left out."""
    with Program([PROGRAMS / "sound.c"], [f"CASE={case}", "WANTED=0"]) as program:
        every, few = (explored(program, memory, skip) for skip in (False, True))
    assert (every["verdict"], every["found"]) == (few["verdict"], few["found"])


def test_a_budget_ends_at_a_complete_bound() -> None:
    """The last bound that was searched to its end counts; with none of them nothing is decided."""
    with Program([PROGRAMS / "reached.c"], ["SHARED=0", "OWN=5"]) as program:
        whole = explored(program, "sc", False)
        enough = explored(program, "sc", False, **{"most-steps": whole["steps"] - 100})
        few = explored(program, "sc", False, **{"most-runs": 3})
    assert ("passed", 2) == (whole["verdict"], whole["bound"])
    assert ("passed", 1) == (enough["verdict"], enough["bound"])
    assert ("unfinished", False) == (few["verdict"], few["endless"])


@pytest.mark.parametrize("waits", [0, 1])
def test_a_thread_ahead(waits: int) -> None:
    """Goes on as long as it can; whether it could is known."""
    with Program([PROGRAMS / "ahead.c"], [f"WAITS={waits}"]) as program:
        found = run(program, Search(preemptions=1))
    assert ("violated" if waits else "bounded") == found.verdict
    assert found.runs < 20
