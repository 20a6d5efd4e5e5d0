"""The rules of what is measured hold in every kind that measures."""

import json
from typing import Any

import pytest
from pydantic import ValidationError

from lockgrader.finding import Finding
from lockgrader.kinds import adapter
from lockgrader.submitted import Submitted
from locksim.compiler import compile_source

CODE = """
from locksim.lang import ACQUIRE, RELEASE, DecisionCache, Lock, RWLock, compute, part, pause, word
from locksim.library.avc.decisions_spinlock import DecisionsSpinlock


class Held(Lock):
    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.locked.store(0, RELEASE)


class Open(Lock):
    def acquire(self):
        yield pause()

    def release(self):
        yield pause()


class ticket(Held):
    def acquire(self):
        yield compute(1000000)
        while (yield self.locked.swap(1, ACQUIRE)):
            yield pause()


class Door(RWLock):
    def read_acquire(self):
        yield pause()

    def read_release(self):
        yield pause()

    def write_acquire(self):
        yield pause()

    def write_release(self):
        yield pause()


class Counts(DecisionCache):
    all = part(DecisionsSpinlock)
    lookups = word()

    def lookup(self, key):
        yield self.lookups.fetch_add(1)
        return (yield from self.all.lookup(key))

    def replace(self, key, allowed, audit):
        yield from self.all.replace(key, allowed, audit)

    def reclaim(self):
        return (yield from self.all.reclaim())

    def quiescent(self):
        yield pause()

    def offline(self):
        yield pause()


class Forgets(DecisionsSpinlock):
    def lookup(self, key):
        yield pause()
        return 0
"""
RUN = {"machine": "ideal-8", "operations": 20, "replications": 1}
LOAD = {"against": "brlock", "machine": "ideal-8", "cpus": 4, "read_percent": 50}
CHATROOM = {"chatroom": "throughput", "cpus": 2, "rooms": 1, "users": 4, "messages": 2}
KINDS: dict[str, dict[str, Any]] = {
    "simulated": {**RUN, "cpus": [4], "measure": "transfers", "band": {"high": 1e6}},
    "answer": {
        "answer": "n",
        "expected": {**RUN, "own": True, "cpus": 4, "measure": "transfers"},
    },
    "prediction": {
        "answer": "n",
        "expected": {**RUN, "own": True, "cpus": 4, "measure": "transfers"},
    },
    "ranked": {"against": "tas", "pairs": [{"machine": "ideal-8", "cpus": 4}], "band": {}},
    "slower": {"locks": ["brlock"], "file": "load.json", "operations": 20},
    "chatroom": {"band": {"low": 0.001}},
}
CODES = compile_source(CODE, "<own.py>")


def judged(kind: str, lock: str, proven: dict[str, Any] | None = None, **more: Any) -> Finding:
    """The finding of a check of a kind on a class."""
    given = {"kind": kind, "name": "c", "title": "C", "points": 1, **KINDS[kind], **more}
    if "expected" in given:
        given["expected"] = {**given["expected"], "lock": lock}
    else:
        given["lock"] = lock
    if kind == "chatroom":
        given["run"] = {**CHATROOM, "cache": lock}
    submitted = Submitted(
        codes=CODES,
        proven=proven or {},
        answers={"n": [1.0, 2.0] if kind == "prediction" else [1.0]},
        files={"load.json": json.dumps(LOAD).encode()},
    )
    return adapter().validate_python(given).judge(submitted)


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"chatroom"}))
def test_a_lock_that_lets_two_in_is_not_measured(kind: str) -> None:
    """Whatever its number, and the finding names the class, whose proofs are lost."""
    # The load of "slower" also asserts that a reader sees whole values.
    lock, tag = ("Door", "fault") if kind == "slower" else ("Open", "exclusion")
    found = judged(kind, lock)
    assert ("fail", tag, lock) == (found.verdict, found.tag, found.violation)


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"slower"}))
def test_what_no_proof_reached_is_not_measured(kind: str) -> None:
    """No operation of the class has been proven, and the lab proves the class."""
    lock = "Counts" if kind == "chatroom" else "Held"
    found = judged(kind, lock, {lock: frozenset()})
    assert ("fail", "unproven", "") == (found.verdict, found.tag, found.violation)
    assert "unproven" != judged(kind, lock).tag


def test_a_cache_that_forgets_is_not_measured_in_chatroom() -> None:
    """Each lookup is asked from the security server, without a lock of the cache."""
    found = judged("chatroom", "Forgets")
    assert ("fail", "forgets") == (found.verdict, found.tag)


def test_a_yardstick_of_ones_own_is_refused() -> None:
    """Who slows it wins: a lab that compares two classes of the submission is not read."""
    with pytest.raises(ValidationError, match="against"):
        judged("simulated", "Held", against="Open", shape="ratio")


def test_no_class_replaces_a_lock_of_the_library() -> None:
    """A slow class of the same name would make any lock look fast."""
    more = {"against": "ticket", "shape": "ratio", "measure": "time_ns"}
    (here,) = judged("simulated", "Held", **more).rows
    (alone,) = (
        adapter()
        .validate_python(
            {"kind": "simulated", "name": "c", "title": "C", "points": 1, "lock": "Held"}
            | KINDS["simulated"]
            | more
        )
        .judge(Submitted(codes={n: c for n, c in CODES.items() if n != "ticket"}))
        .rows
    )
    assert here == alone
