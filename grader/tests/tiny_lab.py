"""A tiny lab in two sizes, a right submission to it, and the ways to hand it in.

``LAB`` is a document of three checks, for tests of grading. ``WHOLE`` has a variant and a
prediction too, and :func:`make_whole` writes it with all the files that a lab has.
"""

from pathlib import Path

import pytest

from lockgrader.lab import Lab, load
from lockgrader.result import Result
from lockgrader.result import load as load_result
from lockgrader.sandbox import available

needs_sandbox = pytest.mark.skipif(bool(available()), reason=f"no sandbox: {available()}")

KEY = b"a key of sixteen bytes or more"
TAS = """from locksim.lang import ACQUIRE, RELAXED, RELEASE, Lock, pause, word


class TAS(Lock):
    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1, ACQUIRE)):
            yield pause()

    def release(self):
        yield self.locked.store(0, RELEASE)
"""
WRONG = TAS.replace("swap(1, ACQUIRE)", "load(ACQUIRE)")
ANSWERS = '{"guess": [9, 11], "n": 10}'
STARTER = """from locksim.lang import Lock, pause, word


class TAS(Lock):
    locked = word()

    def acquire(self):
        yield pause()

    def release(self):
        yield pause()
"""

HEAD = """
format = 2
name = "tiny"
title = "Tiny"
locks = "tas.py"
answers = "answers.json"
"""
PROOF = """
[[check]]
name = "right"
title = "Right"
kind = "proven"
lock = "TAS"
memory = "c11"
fresh = "a test of the grader, which has no time"
points = 4
hints = ["first", "second"]
[check.misconceptions]
exclusion = "two steps are one"
"""
SPEED = """
[[check]]
name = "cheap"
title = "Cheap"
kind = "simulated"
lock = "TAS"
measure = "transfers"
needs = ["right"]
"""
NUMBER = """
[[check]]
name = "number"
title = "Number"
kind = "answer"
answer = "n"
expected = 10.0
"""
LAB = f"""{HEAD}{PROOF}{SPEED}machine = "ideal-8"
cpus = [4]
points = 4
band = {{ high = 3.0, fade = 1.0 }}
{NUMBER}tolerance = 0.1
fade = 0.5
points = 2
"""
WHOLE = f"""{HEAD.replace("tiny", "lab99-tiny")}
[variant.machine]
choice = ["ideal-8", "ideal-64"]
{PROOF}{SPEED}machine = "$machine"
cpus = [2]
points = 3
band = {{ high = 30.0 }}
no_hint = "its numbers say all"

[[check]]
name = "guessed"
title = "Guessed"
kind = "prediction"
answer = "guess"
expected = 10.0
points = 2
{NUMBER}points = 1
hints = ["ten"]
"""
MUTANTS = """
[[mutant]]
name = "load-alone"
change = [["swap(1, ACQUIRE)", "load(ACQUIRE)"]]
check = "right"
verdict = "fail"
misconception = "two steps are one"
"""
HIDDEN = """
[[check]]
name = "again-and-again"
title = "Right, twice"
kind = "proven"
lock = "TAS"
rounds = 2
fresh = "a test of the grader, which has no time"
points = 4
"""


def make_lab(folder: Path) -> Lab:
    """The lab of three checks, below a folder."""
    (folder / "lab").mkdir()
    (folder / "lab" / "lab.toml").write_text(LAB)
    return load(folder / "lab")


def hand_in(folder: Path, text: str = TAS, answers: str = '{"n": 10}') -> Path:
    """A submission's folder."""
    folder.mkdir(parents=True)
    (folder / "tas.py").write_text(text)
    (folder / "answers.json").write_text(answers)
    return folder


def result_of(folder: Path) -> Result:
    """The result that a folder holds."""
    found = load_result(folder)
    assert found is not None
    return found


def make_whole(folder: Path) -> Path:
    """Write the whole lab into a folder that is made for it."""
    for name, text in {
        "lab.toml": WHOLE,
        "handout.md": "# Tiny\n\nWrite `tas.py`, answer `guess` and `n` in\n`answers.json`.\n",
        "starter/tas.py": STARTER,
        "starter/answers.json": "{}\n",
        "solution/tas.py": TAS,
        "solution/answers.json": ANSWERS,
        "hidden/checks.toml": HIDDEN,
        "mutants.toml": MUTANTS,
        "rubric.md": "For the instructor.\n",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
