"""Every kind of check in docs/teach/labs.md does what the page says: right work passes it."""

import re
import tomllib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from lockgrader.c import compile_c, interface, judge_c
from lockgrader.c.interfaces import INTERFACES
from lockgrader.check import Check
from lockgrader.kinds import all_kinds
from lockgrader.kinds.answer import Answer
from lockgrader.kinds.c import C
from lockgrader.lab import Lab
from lockgrader.lab.document import with_calls
from lockgrader.measuring.numeric import expected
from lockgrader.read.record import Locked
from lockgrader.sandbox import available
from lockgrader.submitted import Submitted
from locksim.compiler import compile_source
from locksim.compiler.ir import ClassCode

PAGE = Path(__file__).parents[3] / "docs/teach/labs.md"
CODE = """
from locksim.lang import *
from locksim.library.avc.decisions_spinlock import DecisionsSpinlock

class TAS(Lock):
    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.locked.store(0, RELEASE)

class Ticket(Lock):
    next_ticket = word()
    now_serving = word()

    def acquire(self):
        mine = yield self.next_ticket.fetch_add(1, RELAXED)
        while (yield self.now_serving.load(ACQUIRE)) != mine:
            yield pause()

    def release(self):
        served = yield self.now_serving.load(RELAXED)
        yield self.now_serving.store(served + 1, RELEASE)

class RW(RWLock):
    state = word()

    def read_acquire(self):
        while (yield self.state.fetch_add(1, ACQUIRE)) < 0:
            yield self.state.fetch_add(-1, RELAXED)
            while (yield self.state.load(RELAXED)) < 0:
                yield pause()

    def read_release(self):
        yield self.state.fetch_add(-1, RELEASE)

    def write_acquire(self):
        while (yield self.state.compare_swap(0, -1000000, ACQUIRE)):
            yield pause()

    def write_release(self):
        yield self.state.fetch_add(1000000, RELEASE)

class Cache(DecisionCache):
    all = part(DecisionsSpinlock)

    def lookup(self, key):
        return (yield from self.all.lookup(key))

    def replace(self, key, allowed, audit):
        yield from self.all.replace(key, allowed, audit)

    def reclaim(self):
        return (yield from self.all.reclaim())

    def quiescent(self):
        yield pause()

    def offline(self):
        yield pause()


class Reference(Struct):
    first = param(1)
    count = word()

    def setup(self):
        yield self.count.store(self.first)

    def get(self):
        yield self.count.fetch_add(1, RELAXED)

    def put(self):
        before = yield self.count.fetch_add(-1, ACQ_REL)
        return before - 1


class Tally(Struct):
    value = word()

    def add(self):
        before = yield self.value.fetch_add(1)
        return before
"""
METER = """
def lockmeter(events, cpus, begin_ns, end_ns):
    inside = [e for e in events if e["what"] == "got" and begin_ns <= e["ns"] < end_ns]
    return {"total": len(inside)}

def overhead(rows):
    rates = {(r["kernel"], r["rooms"], r["messages"], r["cpus"]): r["value"] for r in rows}
    return [
        {"rooms": r, "messages": m, "cpus": c, "value": 100 * (1 - rates["selinux", r, m, c] / v)}
        for (kernel, r, m, c), v in rates.items()
        if kernel == "vanilla"
    ]

def diagnose(trials):
    fastest = min(row["turn_ns"] for row in trials)
    return {"cause": int(any(row["turn_ns"] > 1.1 * fastest for row in trials))}

def room(curve, bucket_size):
    return {"entries": curve[-1]["hits"] * curve[-1]["labels"]}
"""
LOCKS = """
 contended   total wait     max wait     avg wait            address   symbol

       248      3.25 ms     32.23 us     13.10 us   ffff8cc75cfd2940   siglock
"""
LOSES = '{"against": "brlock", "machine": "ideal-64", "cpus": 16, "read_percent": 100}'
WRONG = {
    "swap(1, ACQUIRE)": "load(ACQUIRE)",
    "next_ticket.fetch_add(1, RELAXED)": "next_ticket.load(RELAXED)",
    "fetch_add(-1, ACQ_REL)": "fetch_add(-1, RELEASE)",
    "self.value.fetch_add(1)": "self.value.load()\n        yield self.value.store(before + 1)",
}
"""What the students wrote → what a wrong submission has there."""
AT = datetime(2026, 11, 21, 12, tzinfo=UTC)
ANSWERS = {
    "con": [73.5],
    "near_ns": [67.7],
    "fitted": [4.0],
    "seconds": [98.0],
    "time_ns": [419.0, 421.0],
    "race": [0.0, 1.0, 0.0, 1.0],
    "split": [0.95, 1.05],
    "split_effect": [4.0],
    "own_cpus": [4.0],
    "own_window_s": [1.0],
}


def blocks() -> list[dict[str, Any]]:
    """The page's TOML."""
    return [tomllib.loads(b) for b in re.findall(r"```toml\n(.*?)```", PAGE.read_text(), re.S)]


def checks() -> dict[str, Check]:
    """The page's checks by name, as a lab has them."""
    raw = [one for block in blocks() for one in block.get("check", [])]
    calls = [one for block in blocks() for one in block.get("call", [])]
    secret = {n: one for block in blocks() for n, one in block.get("secret", {}).items()}
    raw = with_calls(raw, calls, PAGE)
    lab = Lab.model_validate(
        {"format": 2, "name": "page", "title": "Page", "check": raw, "secret": secret}
    )
    return {check.name: check for check in lab.checks({})}


CHECKS = checks()
IN_C = {
    check["name"]: block["interface"]
    for block in blocks()
    if "interface" in block
    for check in block["check"]
}
RIGHT = compile_source(CODE, "<page.py>")


def submission(codes: dict[str, ClassCode], **answers: list[float]) -> Submitted:
    """Right answers, but for those that are given."""
    given = {**ANSWERS, "transfers": [0.0], **answers}
    first = {n: Locked(values=tuple(v), at=AT) for n, v in given.items() if len(v) == 2}
    files = {"meter.py": METER, "loses.json": LOSES, "own.txt": LOCKS}
    return Submitted(
        codes=codes,
        answers=given,
        texts={"why": "one two three"},
        locked=first,
        files={name: text.encode() for name, text in files.items()},
    )


def test_every_kind_is_shown() -> None:
    """All but ``tests``, which is lab 05's."""
    kinds = {get_args(cls.model_fields["kind"].annotation)[0] for cls in all_kinds()}
    assert kinds - {"tests"} == {check.kind for check in CHECKS.values()}


MEASURED = {"transfers", "crossing", "own-machine"}
"""Their right answers are measured."""


@pytest.mark.parametrize("name", sorted(CHECKS.keys() - IN_C.keys() - MEASURED))
def test_right_work_passes(name: str) -> None:
    """The page's example on a right submission."""
    finding = CHECKS[name].judge(submission(RIGHT), "unconfined")  # our own function
    assert ("pass", 1.0) == (finding.verdict, finding.share), finding.message


@pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[] if n == "c-last" else [pytest.mark.slow]) for n in sorted(IN_C)],
)
def test_right_c_passes(name: str) -> None:
    """Our reference of an interface passes the page's example."""
    check, about = CHECKS[name], interface(IN_C[name])
    assert isinstance(check, C)
    text = (about.folder / "reference.c").read_bytes()
    compiled = compile_c(text, "mine.c", about, (check.tool,), "namespaces")
    finding = judge_c(check, compiled, "namespaces")
    assert ("pass", 1.0) == (finding.verdict, finding.share), finding.message


def test_every_interface_is_shown() -> None:
    """Each scenario stands on the page, and each new interface has an example."""
    page = PAGE.read_text()
    assert {"spinlock", "seqlock", "rwlock", "lockref"} == set(IN_C.values())
    assert all(f"`{s}`" in page for one in INTERFACES.values() for s in one.scenarios)


def test_own_count_passes() -> None:
    """The number that is measured on the student's own lock."""
    check = CHECKS["transfers"]
    assert isinstance(check, Answer)
    right = expected(check.expected, submission(RIGHT))
    assert "pass" == CHECKS["transfers"].judge(submission(RIGHT, transfers=[right])).verdict


@pytest.mark.parametrize("name", ["proven", "reads", "counts", "dies-once"])
def test_wrong_class_fails(name: str) -> None:
    """A proof shows a counterexample."""
    text = CODE
    for old, new in WRONG.items():
        text = text.replace(old, new)
    finding = CHECKS[name].judge(submission(compile_source(text, "<page.py>")))
    assert "fail" == finding.verdict


@pytest.mark.parametrize(
    ("name", "answers", "verdict"),
    [
        ("contention", {"con": [26.5]}, "fail"),
        ("window", {"seconds": [4.0]}, "fail"),  # how long the benchmark ran
        ("break-it", {"race": [0.0, 0.0]}, "fail"),  # nothing has gone wrong yet
        ("break-it", {"race": [0.0, 7.0]}, "malformed_output"),
        ("break-it", {"race": [0.5]}, "malformed_output"),
        ("break-it", {"race": [0.0] * 9}, "fail"),  # a thread that has ended takes no step
    ],
)
def test_wrong_answer_fails(name: str, answers: dict[str, list[float]], verdict: str) -> None:
    """A number of another row, a schedule that breaks nothing or cannot be."""
    assert verdict == CHECKS[name].judge(submission(RIGHT, **answers)).verdict


def test_solution_has_a_schedule() -> None:
    """A shortest one, found by the checker; and it passes."""
    check = CHECKS["break-it"]
    right = check.right(Submitted())
    assert 4 == len(right["race"])
    assert "pass" == check.judge(submission(RIGHT, **right)).verdict


def test_solution_has_a_crossing() -> None:
    """As the grader finds it; and it passes."""
    check = CHECKS["crossing"]
    assert "pass" == check.judge(submission(RIGHT, **check.right(Submitted()))).verdict


def test_score_is_kept_for_the_leader_board() -> None:
    """The mean over the pairs; the reference lock has 1."""
    finding = CHECKS["rank"].judge(submission(RIGHT))
    assert finding.score is not None
    assert f"score {finding.score:.3g} (tas has 1)" in finding.message
