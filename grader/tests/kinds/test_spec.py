"""A specification: its histories from fresh memory and from memory that was used."""

from typing import Any

import pytest

from lockgrader.finding import Finding
from lockgrader.kinds.spec import Spec
from lockgrader.lab import LabError
from lockgrader.submitted import Submitted
from locksim.compiler import compile_source

GATE = """
from locksim.lang import *

class Gate(Struct):
    held = word()
    turns = word()

    def acquire(self):
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.held.store(0, RELEASE)
"""
LATER = GATE.replace(
    "swap(1, ACQUIRE)):", "swap(1, ACQUIRE)) > (yield self.turns.load(RELAXED)) // 40:"
).replace(
    "    def release(self):\n", "    def release(self):\n        yield self.turns.fetch_add(1)\n"
)
"""Wrong from the 40th turn on: who finds the gate held goes in."""
USED = {"machine": "ideal-8", "cpus": 8, "uses": 200, "moments": 1}


def judged(text: str = GATE, **more: Any) -> Finding:
    """The finding of a class ``Gate`` beside a mutex."""
    base = {"name": "own", "title": "Own", "kind": "spec", "points": 4, "lock": "Gate"}
    check = Spec.model_validate({**base, "spec": "Mutex", "operations": ASKED, **more})
    return check.judge(Submitted(codes=compile_source(text, "<gate.py>")))


ASKED = "acquire(); release() | acquire(); release()"


def test_a_right_gate_is_proven_from_both() -> None:
    """The message says after how many uses."""
    found = judged(used=USED)
    assert "pass" == found.verdict
    assert "uses by 4 to 64 CPUs" in found.message


def test_what_changes_with_use_is_found() -> None:
    """From fresh memory it is right; the class is wrong in a larger run."""
    assert "pass" == judged(LATER).verdict
    found = judged(LATER, used=USED)
    assert ("fail", "Gate") == (found.verdict, found.violation)


def test_a_specification_that_only_grows_is_the_labs_mistake() -> None:
    """The author writes why there is no used memory."""
    with pytest.raises(LabError, match="leads back to the first state of Counter"):
        judged(ADDS, spec="Counter", operations="add(1) | add(1)", used=USED)


ADDS = """
from locksim.lang import *

class Gate(Struct):
    count = word()

    def add(self, amount):
        return (yield self.count.fetch_add(amount))

    def read(self):
        return (yield self.count.load())
"""
