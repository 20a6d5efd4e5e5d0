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


def judged(code: str = BOX, **more: Any) -> Finding:
    """The finding of a class ``Box`` under the client."""
    base = {"name": "own", "title": "Own", "kind": "client", "points": 4, "lock": "Box"}
    given = {"client": "Both", "text": CLIENT, "holds": "box", "expect": "seen == 1"}
    check = OwnClient.model_validate({**base, **given, **more})
    return check.judge(Submitted(codes=compile_source(code, "<box.py>")))


def test_right_class_is_proven() -> None:
    """One of two finds the box full."""
    assert ("pass", 1.0) == (judged().verdict, judged().share)


def test_settings_reach_the_class() -> None:
    """A larger box is never full, so the expected end is missed and a run is shown."""
    finding = judged(settings={"size": 2})
    assert ("fail", "assertion") == (finding.verdict, finding.tag)
    assert finding.counterexample is not None


def test_cases_reach_the_client_alone() -> None:
    """The second value is the one that the class does not allow."""
    client = CLIENT.replace("    seen", "    more = param(0)\n    seen")
    client = client.replace("thread() + 1)", "thread() + 1)\n        full = full + self.more")
    assert judged(text=client, expect="seen <= 1").verdict == "pass"
    finding = judged(text=client, expect="seen <= 1", cases={"more": [0, 1]})
    assert ("fail", "assertion") == (finding.verdict, finding.tag)
    assert "more = 1" in finding.message
    assert "also wrong" not in finding.message
    three = judged(text=client, expect="seen <= 1", cases={"more": [1, 0, 2]})
    assert "more = 1" in three.message.splitlines()[0]
    assert "  also wrong: more = 2" == three.message.splitlines()[1]


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
    with pytest.raises(LabError, match="no field 'bag'"):
        judged(holds="bag")


LOOKERS = """
from locksim.lang import *

class Lookers(Workload):
    box = part(Struct)

    def thread(self):
        seen = yield from self.box.look()
        yield from self.box.change()
        assert (yield from self.box.changed(seen))

    def use(self):
        yield from self.box.change()

class Staying(Lookers):
    begun = word()

    def thread(self):
        if thread():
            while not (yield self.begun.load()):
                yield pause()
            for _ in range(20):
                yield from self.box.change()
        else:
            seen = yield from self.box.look()
            yield self.begun.store(1)
            yield from self.box.change()
            assert (yield from self.box.changed(seen))
"""
VERSIONS = """
from locksim.lang import *

class Box(Struct):
    most = param(0xFFFF)
    version = word()

    def look(self):
        return (yield self.version.load())

    def change(self):
        while True:
            version = yield self.version.load()
            if (yield self.version.compare_swap(version, (version + 1) & self.most)) == version:
                return

    def changed(self, seen):
        return (yield self.version.load()) != seen
"""
LATER = VERSIONS.replace(
    "return (yield self.version.load()) != seen",
    "last = yield self.version.load()\n        return (last != seen) * (last < 100)",
)
FEW_USES = {"machine": "ideal-8", "cpus": 8, "uses": 200, "moments": 1}


def looked(code: str = VERSIONS, **more: Any) -> Finding:
    """The finding of a class ``Box`` with versions, after many changes."""
    given = {"client": "Lookers", "text": LOOKERS, "expect": "", "used": FEW_USES}
    return judged(code, **{**given, **more})


def test_a_class_is_used_by_the_use_of_the_client() -> None:
    """A right one is proven from there, too; the message says after how many uses."""
    found = looked(staying="Staying")
    assert "pass" == found.verdict
    assert "uses by 4 to 64 CPUs" in found.message


def test_a_class_that_changes_with_use_is_found() -> None:
    """Right for the two changes of the client, wrong after 100; the class is wrong for all."""
    assert "pass" == looked(LATER, used=None).verdict
    found = looked(LATER)
    assert ("fail", "assertion", "Box") == (found.verdict, found.tag, found.violation)


def test_one_value_of_several_is_enough_to_fail() -> None:
    """Three bits are enough for the client, and not for a thread that stays."""
    both = {"most": [0xFFFF, 7]}
    assert "pass" == looked(settings=both).verdict
    found = looked(settings=both, staying="Staying")
    assert ("fail", "Box") == (found.verdict, found.violation)
    assert "client: Staying" in found.message


def test_a_client_without_a_use_is_the_lab_s_mistake() -> None:
    """The author writes one, or why there is no used memory."""
    with pytest.raises(LabError, match=r"Both has no program use\(\)"):
        judged(used=FEW_USES)


def test_an_assertion_of_a_use_says_what_is_right() -> None:
    """It stands in the lab's text, which is no file."""
    text = LOOKERS.replace(
        "    def use(self):\n        yield from self.box.change()\n",
        "    def use(self):\n        seen = yield from self.box.look()\n"
        "        yield from self.box.change()\n"
        "        assert (yield from self.box.changed(seen)) or seen < 9  # a change is seen\n",
    )
    code = VERSIONS.replace("(yield self.version.load()) != seen", "0 * seen")
    finding = looked(
        code,
        text=text.replace(
            "        assert (yield from self.box.changed(seen))\n\n    def", "\n    def", 1
        ),
    )
    assert ("fail", "fault", "Box") == (finding.verdict, finding.tag, finding.violation)
    assert "an assertion failed (right is: a change is seen)" in finding.message
