"""A lab of three checks, a right submission to it, and the ways to hand it in."""

from pathlib import Path

from lockgrader.lab import Lab, load
from lockgrader.result import Result
from lockgrader.result import load as load_result

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
LAB = """
format = 1
name = "tiny"
title = "Tiny"
locks = "tas.py"
answers = "answers.json"

[[check]]
name = "right"
title = "Right"
kind = "proven"
lock = "TAS"
memory = "c11"
points = 4
hints = ["first", "second"]
[check.misconceptions]
exclusion = "two steps are one"

[[check]]
name = "cheap"
title = "Cheap"
kind = "simulated"
lock = "TAS"
machine = "ideal-8"
cpus = [4]
measure = "transfers"
points = 4
needs = ["right"]
band = { high = 3.0, fade = 1.0 }

[[check]]
name = "number"
title = "Number"
kind = "answer"
answer = "n"
expected = 10.0
tolerance = 0.1
fade = 0.5
points = 2
"""


def make_lab(folder: Path) -> Lab:
    """The lab, below a folder."""
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
