"""Lab 05, the C part: the solution earns everything, each wrong one gets what is documented."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from lockgrader.c import compile_c, interface, judge_c
from lockgrader.checks import Finding
from lockgrader.compile import Refused
from lockgrader.lab import C
from lockgrader.sandbox import available

pytestmark = pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")

FOLDER = Path(__file__).parent.parent / "lab05-rcu"
CHECKS = {
    raw["name"]: C.model_validate(raw)
    for raw in tomllib.loads((FOLDER / "c_checks.toml").read_text())["check"]
}
SOLUTION = (FOLDER / "solution" / "avc_rcu.c").read_text()
BROKEN: list[dict[str, Any]] = tomllib.loads((FOLDER / "broken_c.toml").read_text())["broken"]


def finding(text: str, name: str) -> Finding:
    """What a check finds in a text, and those before it that it needs."""
    check = CHECKS[name]
    for needed in check.needs:
        if finding(text, needed).verdict != "pass":
            return Finding("skipped")
    try:
        compiled = compile_c(
            text.encode(), "avc_rcu.c", interface("avc"), (check.tool,), "namespaces"
        )
    except Refused as error:
        return Finding(error.verdict, message=error.message)
    return judge_c(check, compiled, "namespaces")


@pytest.mark.parametrize("name", CHECKS)
def test_solution_earns_everything(name: str) -> None:
    """Each check passes."""
    found = finding(SOLUTION, name)
    assert ("pass", 1.0) == (found.verdict, found.share), found.message


@pytest.mark.parametrize("name", ["c-model"])
def test_starter_earns_nothing(name: str) -> None:
    """The first check, which most others need, fails for what is not written yet."""
    found = finding((FOLDER / "starter" / "avc_rcu.c").read_text(), name)
    assert ("fail", "wrong-answer") == (found.verdict, found.tag)


def seldom(rows: list[dict[str, Any]]) -> list[Any]:
    """The first of each check, and the others as slow."""
    first = {broken["check"]: broken["name"] for broken in reversed(rows)}
    return [
        pytest.param(
            broken,
            id=broken["name"],
            marks=() if broken["name"] == first[broken["check"]] else pytest.mark.slow,
        )
        for broken in rows
    ]


@pytest.mark.parametrize("broken", seldom(BROKEN))
def test_wrong_submission_gets_its_verdict(broken: dict[str, Any]) -> None:
    """Verdict and misconception are the documented ones."""
    text = SOLUTION
    for old, new in broken["change"]:
        assert old in text
        text = text.replace(old, new, 1)
    found = finding(text, broken["check"])
    told = CHECKS[broken["check"]].misconceptions.get(found.tag, "")
    assert (broken["verdict"], broken["misconception"]) == (found.verdict, told), found.message


def test_misconceptions_are_told() -> None:
    """What only C has is explained in a file of its own, and each is named by a check."""
    own = tomllib.loads((FOLDER / "misconceptions_c.toml").read_text())
    named = {name for check in CHECKS.values() for name in check.misconceptions.values()}
    assert own.keys() <= named
    assert all({"belief", "truth"} <= about.keys() for about in own.values())
