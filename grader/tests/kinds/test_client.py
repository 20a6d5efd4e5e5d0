"""A client of the lab's own: what is proven, what is shown, and what the lab got wrong."""

from typing import Any

import pytest

from lockgrader.finding import Finding
from lockgrader.kinds.client import OwnClient
from lockgrader.lab import LabError
from lockgrader.submitted import Submitted
from locksim.compiler import compile_source

CLIENT = """
from locksim.lang import *

class Both(Workload):
    box = part(Struct)
    seen = word()

    def thread(self):
        full = yield from self.box.put(thread() + 1)
        if full:
            yield self.seen.fetch_add(1)
"""
BOX = """
from locksim.lang import *

class Box(Struct):
    size = param(1)
    content = word()

    def put(self, value):
        before = yield self.content.fetch_add(1)
        return before >= self.size
"""


def judged(text: str = BOX, **more: Any) -> Finding:
    """The finding of a class ``Box`` under the client."""
    base = {"name": "own", "title": "Own", "kind": "client", "points": 4, "lock": "Box"}
    given = {"client": "Both", "text": CLIENT, "holds": "box", "expect": "seen == 1"}
    check = OwnClient.model_validate({**base, **given, **more})
    return check.judge(Submitted(codes=compile_source(text, "<box.py>")))


def test_right_class_is_proven() -> None:
    """One of two finds the box full."""
    assert ("pass", 1.0) == (judged().verdict, judged().share)


def test_settings_reach_the_class() -> None:
    """A larger box is never full, so the expected end is missed and a run is shown."""
    finding = judged(settings={"size": 2})
    assert ("fail", "assertion") == (finding.verdict, finding.tag)
    assert finding.counterexample is not None


def test_wrong_class_gets_a_counterexample() -> None:
    """Two steps instead of one: both find room."""
    steps = "load()\n        yield self.content.store(before + 1)"
    finding = judged(BOX.replace("fetch_add(1)", steps))
    assert ("fail", "assertion") == (finding.verdict, finding.tag)


def test_missing_param_is_named() -> None:
    """A submission that has lost the param of the starter."""
    finding = judged(BOX, settings={"most": 3})
    assert ("fail", "missing") == (finding.verdict, finding.tag)
    assert "'most'" in finding.message


def test_missing_class_is_named() -> None:
    """A submission without the class."""
    assert "there is no class Box" in judged(BOX.replace("class Box", "class Bag")).message


def test_budget_is_a_number_of_states() -> None:
    """An exploration that uses them up has found nothing wrong: it is not decided."""
    finding = judged(states=100, threads=5)
    assert ("grader_error", 0.0) == (finding.verdict, finding.share)
    assert "not decided, and no points are lost" in finding.message
    assert "the budget of 100 states was used up" in finding.message


def test_part_that_is_not_there_is_the_lab_s_mistake() -> None:
    """The author sees it, not the student."""
    with pytest.raises(LabError, match="no part 'bag'"):
        judged(holds="bag")
