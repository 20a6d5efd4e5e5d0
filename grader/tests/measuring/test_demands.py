"""Demands on what methods do: who meets them keeps the finding, who does not earns nothing."""

from typing import Any

import pytest

from lockgrader.finding import Finding
from lockgrader.kinds.proven import Proven
from lockgrader.lab import LabError
from lockgrader.measuring.demands import Demand, demanded
from lockgrader.submitted import Submitted
from locksim.compiler import compile_source

CLIENT = """
from locksim.lang import *

class Counting(Workload):
    lock = part(Struct)

    def thread(self):
        yield from self.lock.get()
        yield from self.lock.put()
"""
CODE = """
from locksim.lang import *

class Free(Lock):
    state = word()
    count = word(1)

    def acquire(self):
        while (yield self.state.swap(1)):
            yield pause()

    def release(self):
        yield self.state.store(0)

    def get(self):
        yield self.count.fetch_add(2)

    def put(self):
        yield self.count.fetch_add(-2)

class Locked(Free):
    def get(self):
        yield from self.acquire()
        yield from self.release()
"""
LATER = """

class Later(Free):
    gets = word()

    def get(self):
        if (yield self.gets.fetch_add(1)) > 5:
            yield from self.acquire()
            yield from self.release()
"""
USED = """
    uses = param(0)

    def setup(self):
        for _ in range(self.uses):
            yield from self.lock.get()
            yield from self.lock.put()

    def thread"""
MEASURED = Finding("partial", 0.5, reached=frozenset({("Free.get", 1, 2)}))


def submitted() -> Submitted:
    """All classes."""
    return Submitted(codes=compile_source(CODE + LATER, "<l.py>"))


def demand(**more: Any) -> Demand:
    """That counting waits for no thread."""
    given = {"says": "counting waits for none", "client": "Counting", "text": CLIENT}
    return Demand.model_validate(given | {"waits_for_none": ["get", "put"]} | more)


def test_met_demand_changes_nothing() -> None:
    """The finding is the check's own."""
    assert MEASURED == demanded([demand()], "Free", submitted(), MEASURED)


def test_unmet_demand_takes_the_points() -> None:
    """It is said what was asked, and shown what happens; what a proof has reached stays."""
    made = demanded([demand()], "Locked", submitted(), MEASURED)
    assert ("fail", 0.0, "demand") == (made.verdict, made.share, made.tag)
    assert made.message.startswith("Locked: counting waits for none: thread 1 does not come out of")
    assert made.counterexample is not None
    assert MEASURED.reached == made.reached


def test_inherited_methods_are_the_classes_own() -> None:
    """A demand on a method that the class has from its base."""
    assert (
        "fail"
        == demanded([demand(writes_nothing=["put"])], "Locked", submitted(), MEASURED).verdict
    )


def test_nothing_is_asked_where_nothing_is_earned() -> None:
    """A beginner's mistake is shown first."""
    failed = Finding("fail", message="no")
    assert failed == demanded([demand()], "Locked", submitted(), failed)


def test_missing_method_is_the_students_fault() -> None:
    """The client calls it."""
    made = demanded([demand(text=CLIENT.replace("put", "drop"))], "Free", submitted(), MEASURED)
    assert ("fail", "fault") == (made.verdict, made.tag)


def test_client_without_the_part_is_the_labs_fault() -> None:
    """The part that holds the class."""
    with pytest.raises(LabError, match="a part 'it'"):
        demanded([demand(holds="it")], "Free", submitted(), MEASURED)


def test_check_asks_its_demands() -> None:
    """Any check of a class has them."""
    base = {"name": "p", "title": "P", "kind": "proven", "points": 4, "threads": 2}
    asked = {"demands": [demand().model_dump()]}
    found = {
        name: Proven.model_validate({**base, **asked, "lock": name}).judge(submitted()).verdict
        for name in ("Free", "Locked")
    }
    assert {"Free": "pass", "Locked": "fail"} == found


def test_class_that_locks_later_is_found_after_uses() -> None:
    """From fresh memory it waits for none; the message says after how many uses it does."""
    later = demand(uses=1000, text=CLIENT.replace("\n    def thread", USED))
    assert MEASURED == demanded([demand()], "Later", submitted(), MEASURED)
    made = demanded([later], "Later", submitted(), MEASURED)
    assert ("fail", True) == (made.verdict, " uses): " in made.message)
    assert MEASURED == demanded([later], "Free", submitted(), MEASURED)


def test_client_without_uses_is_the_labs_fault() -> None:
    """It has no param for their number."""
    with pytest.raises(LabError, match="no param 'uses'"):
        demanded([demand(uses=10)], "Free", submitted(), MEASURED)
