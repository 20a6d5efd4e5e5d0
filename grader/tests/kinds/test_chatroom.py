"""Chatroom with parts of a submission: wrong ones earn nothing, however fast they are."""

import pytest

from lockgrader.finding import Finding
from lockgrader.kinds.chatroom import Chatroom
from lockgrader.lab.chatroom import ChatroomRun
from lockgrader.lab.expected import Formula
from lockgrader.submitted import Submitted
from locksim.compiler import compile_source

SMALL = {"cpus": 2, "rooms": 1, "users": 4, "messages": 2}
CODE = """
from locksim.lang import *
from locksim.library.avc.decisions_spinlock import DecisionsSpinlock
from locksim.library.schedulers.interface import RUNNING, Task
from locksim.library.schedulers.percpu_queues import PerCpuQueues


class Cache(DecisionsSpinlock):
    ways = param(1)


class GrantsAll(DecisionsSpinlock):
    ways = param(1)

    def lookup(self, key):
        yield pause()
        return 0xFFFFFFFF + (1 << 32)


class Gated(DecisionsSpinlock):
    ways = param(1)
    gate = word(padded=True)

    def lookup(self, key):
        while (yield self.gate.swap(1, ACQUIRE)):
            yield compute(4_000_000)
        yield compute(2_000_000)
        found = yield from super().lookup(key)
        yield self.gate.store(0, RELEASE)
        return found


class Queues(PerCpuQueues):
    slices = param(0)


class LosesTasks(PerCpuQueues):
    def wake_up_process(self, task: Task):
        yield task.state.store(RUNNING)
        return 1
"""


def finding(lock: str, **run: object) -> Finding:
    """Of a part in a small run, as many messages a second as you like."""
    check = Chatroom.model_validate(
        {
            "kind": "chatroom",
            "name": "c",
            "title": "C",
            "points": 1,
            "lock": lock,
            "run": {"chatroom": "throughput", **SMALL, **run},
            "band": {"low": 1},
            "ways": [1, 2] if "cache" in run else [],
        }
    )
    return check.judge(Submitted(codes=compile_source(CODE, "<k.py>")))


def test_right_parts_pass() -> None:
    """A cache with each number of ways, a scheduler, and both."""
    assert 2 == len(finding("Cache", cache="Cache").rows)
    both = finding("Queues", cache="Cache", scheduler="Queues")
    assert "pass" == both.verdict
    assert 0 < both.rows[0].got  # type: ignore[operator]


@pytest.mark.parametrize(
    ("lock", "run", "tag"),
    [
        ("GrantsAll", {"cache": "GrantsAll"}, "fault"),
        ("LosesTasks", {"scheduler": "LosesTasks"}, "lost"),
        ("Missing", {"cache": "Missing"}, "missing"),
    ],
)
def test_wrong_parts_fail(lock: str, run: dict[str, object], tag: str) -> None:
    """A decision without its seal; tasks that no CPU finds; a class that is not there."""
    found = finding(lock, **run)
    assert ("fail", tag) == (found.verdict, found.tag)


@pytest.mark.parametrize(("cache", "waits"), [("Cache", False), ("Gated", True)])
def test_waiting_for_a_bare_word_is_waiting(cache: str, waits: bool) -> None:
    """Its lock is free whenever a call comes to it; the time of the calls counts."""
    shares = finding(cache, cache=cache, chatroom="avc_share").rows
    assert {waits} == {"for no metered lock" in row.what for row in shares}
    assert waits == all((row.got or 0) > 0.05 for row in shares)


def test_a_formula_of_two_runs() -> None:
    """Per-CPU run queues over one run queue; each measure has its unit."""
    before = ChatroomRun(chatroom="throughput", **SMALL)
    after = before.model_copy(update={"scheduler": "percpu_queues"})
    ratio = Formula(formula="after / before", where={"after": after, "before": before})
    assert ratio.number() == after.number() / before.number()
    con, hold = (
        before.model_copy(update={"chatroom": f"avc_{name}"}).number()
        for name in ("con", "hold_ns")
    )
    assert 0 <= con <= 1 < hold
