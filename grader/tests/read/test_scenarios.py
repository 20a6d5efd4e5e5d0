"""The student's own tests: read as hostile data, explored, and never taken for code."""

import contextlib
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tiny_lab import TAS

from lockgrader.kinds.own_tests import OwnTests
from lockgrader.lab import MutantSource
from lockgrader.read.artefact import MalformedError
from lockgrader.read.scenarios import Scenario, explore, in_steps, read
from lockgrader.submitted import Submitted
from locksim.library.avc.decisions_spinlock import DecisionsSpinlock
from locksim.library.locks.ticket import TicketLock

TWO_STEPS = TAS.replace(
    "while (yield self.locked.swap(1, ACQUIRE)):\n            yield pause()",
    "while (yield self.locked.load(ACQUIRE)):\n            yield pause()\n"
    "        yield self.locked.store(1, RELAXED)",
)
UNORDERED = TAS.replace("store(0, RELEASE)", "store(0, RELAXED)")
SECTION = [["acquire"], ["count"], ["release"]]


def one(*threads: list[list[Any]], memory: str = "sc") -> tuple[Scenario, ...]:
    """A suite of one scenario."""
    suite = {"scenarios": [{"name": "one", "memory": memory, "threads": threads}]}
    return read(json.dumps(suite).encode())


def check(mutants: bool = True) -> OwnTests:
    """A check with a right lock and two mutants."""
    sources = tuple(
        MutantSource(name=name, text=text)
        for name, text in (("in two steps", TWO_STEPS), ("unordered", UNORDERED))
    )
    made = OwnTests(kind="tests", name="t", title="T", points=1, lock="TAS", mutants=mutants)
    return made.model_copy(update={"solution": TAS, "sources": sources})


@pytest.mark.parametrize(
    ("scenarios", "verdict", "share", "says"),
    [
        (one([["try"], ["release"]]), "fail", 0.0, "try_acquire"),
        (one(SECTION, SECTION, memory="c11"), "pass", 1.0, "2 of 2"),
        (one(SECTION, SECTION), "partial", 0.5, "not found: unordered"),
        (one(SECTION), "fail", 0.0, "not found: in two steps, unordered"),
        (one([["count"]], [["count"]]), "fail", 0.0, "accuses a right solution"),
        ((), "no_output", 0.0, "no scenario"),
        (one([["lookup", 1, [0]]]), "malformed_output", 0.0, "has no lookup"),
    ],
    ids=["no-such-method", "all", "half", "none", "false-alarm", "empty", "of-a-cache"],
)
def test_share_of_mutants_is_what_counts(
    scenarios: tuple[Scenario, ...], verdict: str, share: float, says: str
) -> None:
    """A false alarm takes all points, and shows nothing of the solution."""
    finding = check().judge(Submitted(scenarios=scenarios))
    assert (verdict, share) == (finding.verdict, finding.share)
    assert says in finding.message
    assert finding.counterexample is None
    assert "swap" not in finding.message


@pytest.mark.parametrize(
    ("step", "says"),
    [
        (
            ["swap", 1, 2],
            '["swap", 1, 2]: there is no step of this name; there are acquire, try',
        ),
        (["replace", 1], '["replace", 1] is not ["replace", key, half], with a key and a half'),
        (
            ["replace", 1, 0],
            '["replace", 1, 0] is not ["replace", key, half], with a key and a half',
        ),
        (["lookup", 1, 3], '["lookup", 1, 3] is not ["lookup", key, [half, ...]], with 1 to 8'),
        (["quiescent", 1], '["quiescent", 1] is not ["quiescent"]'),
        ([7, 1], "[7, 1] is not a step; a step is a list that begins with a name"),
        ([], "[] is not a step; a step is a list that begins with a name"),
        ("try", '"try" is not a step; a step is a list that begins with a name'),
        ({"try": "x" * 99}, "…"),
    ],
)
def test_a_wrong_step_is_shown(step: Any, says: str) -> None:
    """Where it stands, counted as the counterexamples count, and what it looks like."""
    with pytest.raises(MalformedError) as refused:
        one([["try"]], [["try"], step])
    assert str(refused.value).startswith("scenario 1, thread 1, step 2: ")
    assert says in str(refused.value)
    assert len(str(refused.value)) < 240


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "scenarios: Field required"),
        ("[]", "the file: Input should be an object"),
        ('{"scenarios": [{"name": "x"}]}', "scenarios.0.threads: Field required"),
        ('{"scenarios": [{"name": "x", "threads": [["try"], 1]}]}', "is not a step"),
    ],
)
def test_a_wrong_form_is_named(text: str, says: str) -> None:
    """What stands above the steps is named by its place."""
    with pytest.raises(MalformedError, match=says):
        read(text.encode())


def test_a_scenario_that_is_too_large_is_left_out() -> None:
    """It neither accuses nor finds, and the message names it."""
    small = check().model_copy(update={"states": 100})
    finding = small.judge(Submitted(scenarios=one(*[SECTION * 4] * 4)))
    assert ("fail", 0.0) == (finding.verdict, finding.share)
    assert "left out because too large to explore: one" in finding.message


def test_try_and_acquire_on_a_lock_of_the_library() -> None:
    """Both ways in exclude each other."""
    tried = [["try"], ["count"], ["release"]]
    verdict = explore(one(tried, SECTION, memory="c11")[0], TicketLock(), 10_000)
    assert "proven" == verdict.verdict


def test_lookups_say_what_may_be_found() -> None:
    """The old decision, the new one or none; leaving one out is violated."""
    writer = [["replace", 1, 7], ["replace", 1, 8]]
    for halves, wanted in (([0, 7, 8], "proven"), ([7, 8], "violated")):
        scenario = one(writer, [["lookup", 1, halves]])[0]
        assert wanted == explore(scenario, DecisionsSpinlock(), 10_000).verdict


def test_a_false_alarm_names_the_step() -> None:
    """And no line of the client, which students do not see."""
    scenario = one([["replace", 1, 7], ["reclaim", [1]]], [["lookup", 1, [0, 7]]])[0]
    example = explore(scenario, DecisionsSpinlock(), 10_000).counterexample
    assert example is not None
    says = in_steps(scenario, DecisionsSpinlock(), example.message)
    assert 'thread 0, step 2, ["reclaim", [1]]: got another answer' == says


@pytest.mark.parametrize(
    "suite",
    [
        b"[]",
        b'{"scenarios": 1}',
        b'{"scenarios": [{"name": "", "threads": [[["count"]]]}]}',
        b'{"scenarios": [{"name": "x", "threads": []}]}',
        b'{"scenarios": [{"name": "x", "threads": [[]]}]}',
        b'{"scenarios": [{"name": "x", "threads": [[["open", "/etc/passwd"]]]}]}',
        b'{"scenarios": [{"name": "x", "threads": [[["lookup", "1); import os #", [0]]]]}]}',
        b'{"scenarios": [{"name": "x", "threads": [[["lookup", 1, []]]]}]}',
        b'{"scenarios": [{"name": "x", "threads": [[["lookup", true, [0]]]]}]}',
        b'{"scenarios": [{"name": "x", "threads": [[["replace", 1, 99999999]]]}]}',
        b'{"scenarios": [{"name": "x", "threads": [[["count", 1]]]}]}',
        b'{"scenarios": [{"name": "x", "memory": "power", "threads": [[["count"]]]}]}',
        b'{"scenarios": [{"name": "x", "threads": [[["count"]]], "run": "rm"}]}',
        b'{"scenarios": [{"name": "x", "threads": [[["count"]]]}], "scenarios": []}',
    ],
)
def test_what_is_no_suite_is_refused(suite: bytes) -> None:
    """With the place, and without quoting much of it."""
    with pytest.raises(MalformedError) as error:
        read(suite)
    assert len(str(error.value)) < 300


HALVES = st.lists(st.integers(0, 65535), min_size=1, max_size=8)
KEYS = st.integers(1, 65535)
STEPS = st.one_of(
    st.sampled_from([["acquire"], ["try"], ["count"], ["release"], ["quiescent"]]),
    st.tuples(st.just("replace"), KEYS, KEYS),
    st.tuples(st.just("lookup"), KEYS, HALVES),
    st.tuples(st.just("reclaim"), HALVES),
)


@given(threads=st.lists(st.lists(STEPS, min_size=1, max_size=12), min_size=1, max_size=3))
def test_every_suite_that_is_read_can_be_explored(threads: list[list[list[Any]]]) -> None:
    """Whatever its steps: a verdict, or the message that a step is of the other kind."""
    scenario = one(*threads)[0]
    for subject in (TicketLock(), DecisionsSpinlock()):
        with contextlib.suppress(MalformedError):
            verdict = explore(scenario, subject, 500)
            assert verdict.verdict in ("proven", "violated", "unfinished")


@given(data=st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    """Nothing but MalformedError comes out."""
    try:
        read(data)
    except MalformedError:
        return
