"""What editors add changes nothing: a byte order mark, two characters a line end, tabs."""

import json
from pathlib import Path

import pytest
from tiny_lab import TAS, needs_sandbox

from lockgrader.c.source import examine
from lockgrader.read.answers import Answers, read_answers
from lockgrader.read.record import RECORD, read_record
from lockgrader.read.scenarios import read as read_scenarios
from lockgrader.read.submission import read
from locksim.compiler import compile_source

MARK = b"\xef\xbb\xbf"
EDITORS = {
    "mark": lambda data: MARK + data,
    "line-ends": lambda data: data.replace(b"\n", b"\r\n"),
    "old-line-ends": lambda data: data.replace(b"\n", b"\r"),
    "tabs": lambda data: data.replace(b"    ", b"\t"),
    "no-last-line-end": lambda data: data.removesuffix(b"\n"),
    "all": lambda data: MARK + data.replace(b"    ", b"\t").replace(b"\n", b"\r\n"),
}
ANSWERS = json.dumps({"n": 3, "why": "one line"}, indent=4) + "\n"
TESTS = json.dumps(
    {"scenarios": [{"name": "two", "threads": [[["acquire"], ["release"]]] * 2}]}, indent=4
)
LOCKED = {"n": {"values": [1, 2], "at": "2026-11-22T12:00:00Z"}}
CODE = """#include <stdatomic.h>

#define FREE \\
    0

static atomic_int held;

int take(void)
{
    return atomic_exchange(&held, 1) != FREE; // one step
}
"""


@pytest.fixture(params=EDITORS)
def through(request: pytest.FixtureRequest, tmp_path: Path) -> object:
    """A file's content after an editor, as the reader of submissions gives it."""

    def edited(name: str, text: str) -> bytes:
        (tmp_path / name).write_bytes(EDITORS[request.param](text.encode()))
        return read(tmp_path, (name,)).files[name]

    return edited


def test_every_kind_of_file(through) -> None:  # type: ignore[no-untyped-def]
    """A lock has the same code, answers and tests the same values, C the same tokens."""
    codes = compile_source(through("tas.py", TAS).decode(), "<tas.py>")
    right = compile_source(TAS, "<tas.py>")
    assert [[i.op for i in m.instrs] for m in right["TAS"].methods.values()] == [
        [i.op for i in m.instrs] for m in codes["TAS"].methods.values()
    ]
    given = through("answers.json", ANSWERS)
    wanted = Answers({"n": [3.0]}, {"why": "one line"}, {})
    assert wanted == read_answers("answers.json", given, ("n",), ("why",), "unconfined")
    assert read_scenarios(TESTS.encode()) == read_scenarios(through("tests.json", TESTS))
    record = json.dumps({"lab": "tiny", "predictions": LOCKED}, indent=4)
    assert (1.0, 2.0) == read_record(through(RECORD, record), "tiny")["n"].values
    examine(through("lock.c", CODE).decode(), "lock.c", ())


@needs_sandbox
def test_answers_that_are_computed(tmp_path: Path) -> None:
    """A Python file with all of it at once."""
    text = 'values = {}\nfor n in (3,):\n    values["n"] = n\nanswers = values\n'
    (tmp_path / "answers.py").write_bytes(EDITORS["all"](text.encode()))
    data = read(tmp_path, ("answers.py",)).files["answers.py"]
    assert {"n": [3.0]} == read_answers("answers.py", data, ("n",), (), "namespaces").numbers


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ('{"n": 1e999, "m": 3}', "n: 1e999 is not a finite number"),
        ('{"n": NaN, "m": 3}', "n: NaN is not a finite number"),
        ('{"n": 1, "m": 3, "n": 2}', "n: this key occurs twice; remove one of them"),
        ('{"n": 11111111111111111111111111111, "m": 3}', "n: a number of 29 digits"),
        ('{"n": "\\ud800", "m": 3}', 'n: "?" is not a number'),
        ('{"\\ud800n": 1, "m": 3}', "there is no answer 'n', but '?n': rename it"),
        ('{"n": {"a": [1]}, "m": 3}', 'n: {"a": [1]} is not a number'),
        ('{"n": "1,5", "m": 3}', 'n: "1,5" is not a number'),
        (
            '{"n": "0 1, 1", "m": 3}',
            'n: "0 1, 1" is not a number; write the list [0, 1, 1], without quotes',
        ),
    ],
)
def test_one_odd_value_leaves_the_others(text: str, says: str) -> None:
    """The answer beside it stands, and the message names the odd one."""
    answers = read_answers("answers.json", text.encode(), ("n", "m"), (), "unconfined")
    assert ({"m": [3.0]}, {"n": says}) == (answers.numbers, answers.wrong)


def test_a_number_between_quotes_counts() -> None:
    """The quotes are a slip of the form, alone or in a list."""
    text = b'{"n": " 3 ", "m": ["-1.5", 2]}'
    answers = read_answers("answers.json", text, ("n", "m"), (), "unconfined")
    assert ({"n": [3.0], "m": [-1.5, 2.0]}, {}, {}) == answers


def test_words_may_have_lines() -> None:
    """A line end or a tab inside quotes, half of a surrogate pair: the words count."""
    text = '{"why": "each\n\tswap\\ud800", "n": 3}'
    answers = read_answers("answers.json", text.encode(), ("n",), ("why",), "unconfined")
    assert ({"n": [3.0]}, {"why": "each\n\tswap?"}, {}) == answers


def test_words_that_are_there_twice() -> None:
    """They are not guessed."""
    answers = read_answers("answers.json", b'{"why": "a", "why": "b"}', (), ("why",), "unconfined")
    assert ({}, {"why": "why: this key occurs twice; remove one of them"}) == answers[1:]
