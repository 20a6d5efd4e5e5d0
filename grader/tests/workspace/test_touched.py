"""The checks that a save can touch: by file, by definition, by answer."""

import hashlib
from pathlib import Path

import pytest
from tiny_lab import ANSWERS, HEAD, NUMBER, PROOF, SPEED, TAS

from lockgrader.finding import Finding
from lockgrader.lab import Lab, load
from lockgrader.read.submission import Submission
from lockgrader.workspace.touched import untouched

OTHER = """

DELAY = 3


class Node(Struct):
    taken = word()


class Other(Lock):
    node = part(Node)

    def acquire(self):
        for _ in range(DELAY):
            yield pause()

    def release(self):
        yield pause()
"""
CODE = TAS + OTHER
SECOND = PROOF.replace('"right"', '"other"').replace('"TAS"', '"Other"')
C_CHECK = """
[[check]]
name = "c-excludes"
title = "In C"
kind = "c"
tool = "explorer"
scenario = "excludes"
points = 5
hints = ["?"]
"""
WORDS = NUMBER.replace('"number"', '"more"').replace('"n"', '"m"')
TEXT = f"""{HEAD}c = "lock.c"
interface = "spinlock"
{PROOF}{SECOND}{SPEED}machine = "ideal-8"
cpus = [4]
points = 4
band = {{ high = 3.0 }}
{NUMBER}points = 1
hints = ["?"]
{WORDS}points = 1
hints = ["?"]
{C_CHECK}"""
ALL = {"right", "other", "cheap", "number", "more", "c-excludes"}
FILES = {"tas.py": CODE, "answers.json": ANSWERS, "lock.c": "int held;"}


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    """Two classes, a measurement, two answers and C."""
    (tmp_path / "lab.toml").write_text(TEXT)
    return load(tmp_path)


def submission(files: dict[str, str]) -> Submission:
    """Files as they are read."""
    data = {name: text.encode() for name, text in files.items()}
    return Submission(Path(), data, hashlib.sha256(repr(sorted(data)).encode()).hexdigest())


def touched(lab: Lab, after: dict[str, str], verdict: str = "pass") -> set[str]:
    """The checks that run again, where all had a verdict."""
    finding = Finding("pass", 1.0) if verdict == "pass" else Finding("fail")
    found = dict.fromkeys(ALL, finding)
    checks = lab.checks({})
    return ALL - untouched(lab, checks, found, submission(FILES), submission(after)).keys()


def test_nothing_changed(lab: Lab) -> None:
    """Nothing runs; what has no finding does."""
    assert set() == touched(lab, FILES)
    assert {} == untouched(lab, lab.checks({}), {}, submission(FILES), submission(FILES))


@pytest.mark.parametrize(
    ("old", "new", "again"),
    [
        ("swap(1, ACQUIRE)", "load(ACQUIRE)", {"right", "cheap"}),
        ("DELAY = 3", "DELAY = 4", {"other"}),
        ("taken = word()", "taken = word(1)", {"other"}),
        ("class Node(", "# a remark\nclass Node(", set()),
        ("import ACQUIRE, ", "import ", {"right", "cheap"}),
        ("DELAY = 3", "from locksim.lang import *", {"right", "other", "cheap"}),
        ("DELAY = 3", "DELAY = (", {"right", "other", "cheap"}),
    ],
)
def test_a_class_and_what_it_uses(lab: Lab, old: str, new: str, again: set[str]) -> None:
    """A change of a class, of a constant or a struct that it uses, or of anything at all."""
    assert old in CODE
    assert again == touched(lab, FILES | {"tas.py": CODE.replace(old, new)})


def test_lines_that_move_show_where_they_are_now(lab: Lab) -> None:
    """A failed check has named lines; one that has passed has not."""
    moved = FILES | {"tas.py": CODE.replace("class Node(", "# a remark\nclass Node(")}
    assert {"other"} == touched(lab, moved, "fail")


def test_an_answer_touches_who_asks_for_it(lab: Lab) -> None:
    """A file that is no object of JSON touches all answers."""

    def saved(text: str) -> set[str]:
        return touched(lab, FILES | {"answers.json": text})

    assert {"number"} == saved(ANSWERS.replace('"n": 10', '"n": 3'))
    assert {"more"} == saved(ANSWERS.replace("10}", '10, "m": 1}'))
    assert {"number", "more"} == saved("[")


def test_a_c_file_touches_its_checks(lab: Lab) -> None:
    """And no others."""
    assert {"c-excludes"} == touched(lab, FILES | {"lock.c": "int taken;"})
