"""What must run before a check: what it needs, and the proofs of what it measures."""

import pytest

from lockgrader.judging.needs import with_needs
from lockgrader.lab import Lab

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
    {"name": "beside", "kind": "simulated", "lock": "B", "against": "tas", **MEASURED, "cpus": [2]},
    {"name": "late-proof", "kind": "proven", "lock": "A"},
]
LAB = Lab(
    format=2, name="lab", title="Lab", check=tuple({"title": "T", "points": 1, **r} for r in RAW)
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
        ("beside", {"other-proof"}),
    ],
)
def test_what_a_check_needs(name: str, needed: set[str]) -> None:
    """Also what those need, and no proof that comes later or is of another class."""
    assert {name} | needed == with_needs([name], LAB.checks({}))


def test_of_no_check() -> None:
    """Nothing is needed."""
    assert set() == with_needs((), LAB.checks({}))
