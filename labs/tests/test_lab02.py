"""Lab 02: the solution earns everything, the starter nothing, each wrong one what is documented."""

import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from lockgrader.checks import Finding, Submitted, judge
from lockgrader.lab import Code, Prediction, Proven, Simulated, Written, load
from lockgrader.variants import variant
from locklabs import find
from locksim.compiler import compile_source

FOLDER = find("lab02")
LAB = load(FOLDER)
SOLUTION = (FOLDER / "solution" / "spinlocks.py").read_text()
BROKEN: list[dict[str, Any]] = tomllib.loads((FOLDER / "broken.toml").read_text())["broken"]
STUDENTS = [f"student{i}" for i in range(20)]


def findings(text: str, student: str, only: str = "") -> dict[str, Finding]:
    """What the lab's checks of locks find in a text; ours, so it needs no sandbox."""
    submitted = Submitted(codes=compile_source(text, "<spinlocks.py>"))
    checks = LAB.checks(variant(LAB, student, b"k" * 16))
    ours = [c for c in checks if isinstance(c, Proven | Simulated | Code)]
    return {c.name: judge(c, submitted) for c in ours if only in ("", c.name)}


@pytest.mark.parametrize("student", STUDENTS[:2])
def test_solution_earns_everything(student: str) -> None:
    """Every check of a lock passes, with this student's machine."""
    assert {"pass"} == {f.verdict for f in findings(SOLUTION, student).values()}


@pytest.mark.slow
@pytest.mark.parametrize("student", STUDENTS[2:])
def test_solution_earns_everything_for_everybody(student: str) -> None:
    """As above, for 18 more."""
    assert {"pass"} == {f.verdict for f in findings(SOLUTION, student).values()}


def test_starter_earns_nothing() -> None:
    """No check passes before anything is written, and none for a fault of ours."""
    text = (FOLDER / "starter" / "spinlocks.py").read_text()
    assert {"fail"} == {f.verdict for f in findings(text, "ada").values()}


@pytest.mark.parametrize("broken", BROKEN, ids=lambda b: b["name"])
def test_wrong_submission_gets_its_verdict(broken: dict[str, Any]) -> None:
    """Verdict and misconception are the documented ones."""
    text = SOLUTION
    for old, new in broken["change"]:
        assert old in text
        text = text.replace(old, new, 1)
    found = findings(text, "ada", broken["check"])[broken["check"]]
    check = next(c for c in LAB.checks(variant(LAB, "ada", b"k" * 16)) if c.name == broken["check"])
    told = check.misconceptions.get(found.tag, "")
    assert broken["verdict"] == found.verdict
    assert broken["misconception"] in told
    assert bool(broken["misconception"]) == bool(told)


def test_variants_differ_and_come_again() -> None:
    """Twenty students have several machines, each the same one every time."""
    drawn = [variant(LAB, s, b"k" * 16) for s in STUDENTS]
    assert drawn == [variant(LAB, s, b"k" * 16) for s in STUDENTS]
    assert 4 < len({json.dumps(v) for v in drawn})
    assert drawn != [variant(LAB, s, b"another key of a course") for s in STUDENTS]


def test_hidden_checks_are_not_public() -> None:
    """What lies in hidden/ is graded, and not shown."""
    checks = LAB.checks(variant(LAB, "ada", b"k" * 16))
    assert ["tas-again", "mcs-again", "mcs-many"] == [c.name for c in checks if not c.public]


def test_answers_of_the_solution_are_asked_for() -> None:
    """The solution answers every question."""
    answers = json.loads((Path(FOLDER) / "solution" / "answers.json").read_text())
    checks = LAB.checks(variant(LAB, "ada", b"k" * 16))
    asked = [c.answer for c in checks if not isinstance(c, Proven | Simulated | Code)]
    assert sorted(answers) == sorted(asked)
    assert 1 == sum(isinstance(c, Prediction) for c in checks)
    assert 1 == sum(isinstance(c, Written) for c in checks)
