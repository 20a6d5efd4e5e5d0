"""A load under which the student's own lock loses."""

import json

import pytest

from lockgrader.kinds.slower import Slower
from lockgrader.submitted import Submitted
from locksim.compiler import compile_source

CHECK = Slower.model_validate(
    {
        "name": "loses",
        "title": "Loses",
        "kind": "slower",
        "points": 5,
        "lock": "Own",
        "locks": ["rwlock", "brlock"],
        "file": "loses.json",
        "operations": 10,
        "replications": 1,
    }
)
TEXT = """
from locksim.library.locks.rwlock import ReaderPreferenceRWLock

class Own(ReaderPreferenceRWLock):
    pass
"""
LOAD = {"against": "brlock", "machine": "ideal-64", "cpus": 16, "read_percent": 100}


def found(load: str) -> tuple[str, str]:
    """Verdict and message of a file."""
    codes = compile_source(TEXT, "<own.py>")
    finding = CHECK.judge(Submitted(codes=codes, files={"loses.json": load.encode()}))
    return finding.verdict, finding.message


def test_a_load_that_it_loses_passes() -> None:
    """Only readers: a lock for each CPU moves no line."""
    assert "pass" == found(json.dumps(LOAD))[0]


def test_a_load_that_it_wins_fails() -> None:
    """Only writers: the other takes a lock of each CPU."""
    assert "fail" == found(json.dumps({**LOAD, "read_percent": 0}))[0]


@pytest.mark.parametrize(
    ("load", "verdict", "says"),
    [
        ("{}", "no_output", "names no load yet"),
        ("nothing", "malformed_output", "loses.json"),
        (json.dumps({**LOAD, "against": "mutex"}), "malformed_output", "one of rwlock, brlock"),
        (json.dumps({**LOAD, "machine": "/etc/passwd"}), "malformed_output", "machine"),
        (json.dumps({**LOAD, "cpus": 65}), "malformed_output", "64"),
        (json.dumps({**LOAD, "turbo": 1}), "malformed_output", "turbo"),
    ],
)
def test_a_wrong_file_says_what_is_wrong(load: str, verdict: str, says: str) -> None:
    """An empty one, no JSON, an unknown lock, a path, too many CPUs, an unknown key."""
    got, message = found(load)
    assert verdict == got
    assert says in message


def test_without_the_class() -> None:
    """The finding names it."""
    finding = CHECK.judge(Submitted())
    assert "there is no class Own" in finding.message
