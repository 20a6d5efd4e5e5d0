"""Two programs in one lock, and locks that are not what their name says: none earns its points."""

import importlib.util
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from lockgrader.author.mutants import findings, solution
from lockgrader.finding import Finding
from lockgrader.lab import Lab, changed, load
from locklabs import find

KEY = b"a key of sixteen bytes or more"
FILE = Path(__file__).parents[2] / "redteam" / "programs.py"
SHORT = 27
"""Every so many of the corpus is in the normal run."""


def programs() -> list[Any]:
    """The corpus."""
    spec = importlib.util.spec_from_file_location("redteam_programs", FILE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    found: list[Any] = module.PROGRAMS
    return found


PROGRAMS = programs()
WORDS = {
    "refused": "which this lab refuses",
    "used": "",
    "waits": "",
}


@cache
def lab_of(name: str) -> Lab:
    """A lab, read once."""
    return load(find(name))


def submitted(one: Any) -> dict[str, str]:
    """The files of a submission."""
    lab = lab_of(one.lab)
    if "\1" not in one.text:
        return {lab.locks: one.text}
    files = solution(lab, "eve", KEY)
    text = files[lab.locks]
    changes = [pair.split("\1") for pair in one.text.split("\0")]
    return {lab.locks: changed(text, changes, one.name)}


def graded(one: Any) -> dict[str, tuple[float, Finding]]:
    """What each check of the lab finds: its points, and the finding."""
    made = findings(lab_of(one.lab), submitted(one), "eve", KEY)
    return {check.name: (check.points * finding.share, finding) for check, finding in made}


@pytest.mark.parametrize(
    "one",
    [
        pytest.param(one, id=one.name, marks=[] if k % SHORT == 0 else [pytest.mark.slow])
        for k, one in enumerate(PROGRAMS)
    ],
)
def test_it_loses_what_it_does_not_deserve(one: Any) -> None:
    """The check is not passed, and neither is one that needs it."""
    found = graded(one)
    points, finding = found[one.loses]
    assert 0.0 == points, finding.message
    assert WORDS[one.why] in finding.message
    # A proof that is made too large is not decided; it earns nothing and opens nothing.
    assert {name for name, (_, f) in found.items() if f.verdict == "grader_error"} <= {one.loses}


def test_the_corpus_is_large_enough() -> None:
    """More than 40 are two programs in one lock; no name twice."""
    two = [one for one in PROGRAMS if one.why in ("used", "refused")]
    assert len(two) >= 40
    assert len({one.name for one in PROGRAMS}) == len(PROGRAMS)
