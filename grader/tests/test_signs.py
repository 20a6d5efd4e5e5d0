"""Signs of counterexamples: which mistake the steps show."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from lockgrader.finding import Finding, near, row, veiled
from lockgrader.finding import found as made
from lockgrader.kinds.proven import Proven
from lockgrader.lab import Band
from lockgrader.signs import belief_of, signs
from locksim.checker import check_lock
from locksim.compiler import compile_source

HEAD = "from locksim.lang import *\n\nclass L(Lock):\n    held = word()\n\n"
RELEASE = "\n    def release(self):\n        yield self.held.store(0, RELEASE)\n"
LOADS_AND_STORES = """\
    def acquire(self):
        while (yield self.held.load()):
            yield pause()
        yield self.held.store(1)
"""
FORGETS_THE_RESULT = """\
    def acquire(self):
        yield self.held.swap(1, ACQUIRE)
"""
LOSES_AND_TRIES_AGAIN = """\
    def acquire(self):
        while (yield self.held.swap(1, RELAXED)):
            yield pause()
"""
CLEARS_FIRST = """\
    def acquire(self):
        yield self.held.store(0)
        while (yield self.held.swap(1, ACQUIRE)):
            yield pause()
"""
COUNTS_WHO_WAITS = """\
    def acquire(self):
        if (yield self.held.fetch_add(1, ACQUIRE)):
            while (yield self.held.load(ACQUIRE)):
                yield pause()
"""


@pytest.mark.parametrize(
    ("acquire", "memory", "shown"),
    [
        (LOADS_AND_STORES, "sc", "stale-read"),
        (FORGETS_THE_RESULT, "sc", "ignored-result"),
        (LOSES_AND_TRIES_AGAIN, "c11", "weak-order"),
        (CLEARS_FIRST, "sc", "intrusion"),
    ],
)
def test_each_sign(acquire: str, memory: str, shown: str) -> None:
    """A mistake shows its own sign, and not that of another one."""
    others = {"stale-read", "ignored-result", "weak-order"} - {shown}
    seen = signs(violated(acquire, memory), ["l.py"])
    assert shown in seen
    assert not seen & others


def test_a_store_may_wipe_out_what_others_have_added() -> None:
    """Its thread knew the word from an addition of its own, and others have added since."""
    assert "stale-read" in signs(violated(COUNTS_WHO_WAITS, "sc", threads=3), ["l.py"])


def test_a_release_may_wipe_out_what_others_have_added() -> None:
    """Also where its thread comes again at once, by the same word."""
    steps = [
        taken(0, "compare_swap", 0, -8, "acquired lock"),
        taken(1, "fetch_add", -8, -7),
        {**taken(0, "load", 0, 0, "releases lock"), "word": ""},
        taken(0, "store", -7, 0),
        taken(0, "fetch_add", 0, 1, "read-acquired lock"),
    ]
    found = Finding("fail", counterexample={"memory": "sc", "steps": steps})
    assert "stale-read" in signs(found, ["l.py"])


def taken(thread: int, operation: str, old: int, new: int, *marks: str) -> dict[str, Any]:
    """A step of the submission on its only word."""
    place = {"file": "l.py", "word": "w", "address": 8}
    return {
        **place,
        "thread": thread,
        "operation": operation,
        "old": old,
        "new": new,
        "marks": marks,
    }


@pytest.mark.parametrize("again", [True, False])
def test_what_an_earlier_use_has_left(*, again: bool) -> None:
    """A load of what was written before its thread came again; not of what this use has met."""
    steps = [
        taken(0, "load", 0, 0, "acquired lock"),
        taken(1, "store", 0, 1),
        taken(0, "load", 1, 1, "releases lock"),
    ]
    if again:
        steps += [taken(0, "load", 1, 1, "acquired lock"), taken(0, "load", 1, 1)]
    found = Finding("fail", counterexample={"memory": "sc", "steps": steps})
    assert again == ("leftover" in signs(found, ["l.py"]))


def test_a_number_that_is_off() -> None:
    """The first wrong number decides, not a right one before it."""
    off = Band(low=2.0, high=3.0)
    found = Finding("fail", rows=(row("a", 2.5, off), row("b", 9.0, off), row("c", 0.0, off)))
    assert {"too-big"} == signs(found, ["l.py"])


def test_a_number_that_is_far_off() -> None:
    """A factor of three or more is another mistake than a little."""
    some = [veiled(made([near("a", got, 2.0, 0.01, 0.0)])) for got in (2.5, 5.0, 7.0)]
    assert [False, False, True] == ["far" in signs(one, ["l.py"]) for one in some]


def test_the_method_that_was_called_last() -> None:
    """Of the thread that fails, whatever others call later."""
    steps = [taken(1, "load", 0, 0), taken(0, "load", 0, 0)]
    calls = [{"thread": 0, "call": "cache.reclaim"}, {"thread": 1, "call": "cache.lookup"}]
    document = {"memory": "sc", "steps": steps, "calls": calls}
    found = Finding("fail", tag="assertion", counterexample=document)
    beliefs = {"assertion:in-lookup": "l", "assertion:in-reclaim": "r", "assertion": "a"}
    assert "r" == belief_of(beliefs, found, ["l.py"])


def test_other_files_do_not_count() -> None:
    """Steps of the library show nothing about the student's own ones."""
    assert {"in-acquire"} == signs(violated(LOADS_AND_STORES, "sc"), ["other.py"])


def test_belief_of_a_sign() -> None:
    """A sign comes before its tag alone, and no belief is shown where none fits."""
    found = violated(LOADS_AND_STORES, "sc")
    assert "s" == belief_of({"exclusion:stale-read": "s", "exclusion": "e"}, found, ["l.py"])
    assert "e" == belief_of({"exclusion:worn": "s", "exclusion": "e"}, found, ["l.py"])
    assert "" == belief_of({"exclusion:worn": "s", "race": "e"}, found, ["l.py"])


def test_worn_memory() -> None:
    """A class that is wrong beyond fresh memory has a sign of its own."""
    found = Finding("fail", tag="deadlock", violation="L")
    assert "w" == belief_of({"deadlock:worn": "w", "deadlock": "d"}, found, ["l.py"])


def test_unknown_sign() -> None:
    """A lab that asks for a sign that is not there is refused, with the nearest name."""
    with pytest.raises(
        ValidationError, match="unknown sign 'stale-red'; did you mean 'stale-read'"
    ):
        Proven(
            kind="proven",
            name="p",
            title="t",
            points=1,
            lock="L",
            misconceptions={"exclusion:stale-red": "b"},
        )


def violated(acquire: str, memory: Any, threads: int = 2) -> Finding:
    """The finding of a wrong lock."""
    lock = compile_source(HEAD + acquire + RELEASE, "<l.py>")["L"].struct
    example = check_lock(lock, threads=threads, memory=memory).counterexample
    assert example is not None
    document = example.to_json()
    steps = [{**step, "file": Path(step["file"]).name} for step in document["steps"]]
    return Finding("fail", tag=example.found, counterexample={**document, "steps": steps})
