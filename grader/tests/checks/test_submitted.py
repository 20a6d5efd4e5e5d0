"""What must run before a check: what it needs, and the proofs of what it measures."""

from typing import Any

import pytest

from lockgrader.checks.judge import judge
from lockgrader.checks.submitted import Submitted, opens, with_needs
from lockgrader.finding import Finding
from lockgrader.lab import Answer, Lab, Prediction, Written

MEASURED = {"machine": "ideal-8", "measure": "transfers"}
OWN = {**MEASURED, "lock": "A", "own": True, "cpus": 2}
RAW = [
    {"name": "proof", "kind": "proven", "lock": "A"},
    {"name": "other-proof", "kind": "proven", "lock": "B"},
    {"name": "speed", "kind": "simulated", "lock": "A", **MEASURED, "cpus": [2]},
    {"name": "after-speed", "kind": "code", "lock": "B", "needs": ["speed"]},
    {"name": "own-number", "kind": "answer", "answer": "n", "expected": OWN},
    {"name": "number", "kind": "answer", "answer": "n", "expected": {**OWN, "own": False}},
    {
        "name": "rank",
        "kind": "ranked",
        "lock": "A",
        "against": "tas",
        "band": {},
        "pairs": [{"machine": "ideal-8", "cpus": 2}],
    },
    {"name": "late-proof", "kind": "proven", "lock": "A"},
]
LAB = Lab(
    format=1, name="lab", title="Lab", check=tuple({"title": "T", "points": 1, **r} for r in RAW)
)


@pytest.mark.parametrize(
    ("name", "needed"),
    [
        ("proof", set()),
        ("speed", {"proof"}),
        ("after-speed", {"speed", "proof"}),
        ("own-number", {"proof"}),
        ("number", set()),
        ("rank", {"proof"}),
    ],
)
def test_what_a_check_needs(name: str, needed: set[str]) -> None:
    """Also what those need, and no proof that comes later or is of another class."""
    assert {name} | needed == with_needs([name], LAB.checks({}))


def test_of_no_check() -> None:
    """Nothing is needed."""
    assert set() == with_needs((), LAB.checks({}))


@pytest.mark.parametrize(
    ("finding", "numbers", "prediction"),
    [
        (Finding("pass", 1.0), True, True),
        (Finding("partial", 0.6), True, True),
        (Finding("partial", 0.4), False, True),
        (Finding("fail", 0.0), False, True),
        (Finding("no_output"), False, False),
        (Finding("skipped"), False, False),
    ],
)
def test_what_opens_the_checks_behind(finding: Finding, numbers: bool, prediction: bool) -> None:
    """Half of the points, or a prediction that was made; a missed one does not end the lab."""
    shared: dict[str, Any] = {"name": "n", "title": "N", "points": 1, "answer": "n"}
    assert numbers == opens(Answer(kind="answer", expected=1.0, **shared), finding)
    assert prediction == opens(Prediction(kind="prediction", expected=1.0, **shared), finding)


@pytest.mark.parametrize(
    ("words", "verdict"), [("", "no_output"), ("x y", "no_output"), ("It has to wait.", "pass")]
)
def test_an_answer_in_words_has_words(words: str, verdict: str) -> None:
    """One letter is not an answer; how good the words are is for the instructor to say."""
    asked = Written(kind="written", name="why", title="Why", answer="why")
    assert verdict == judge(asked, Submitted(texts={"why": words})).verdict
