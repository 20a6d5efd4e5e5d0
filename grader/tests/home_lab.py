"""A small lab with all of its parts, for the tests of what happens at home."""

from __future__ import annotations

from pathlib import Path

from tiny_lab import TAS as RIGHT

STARTER = """from locksim.lang import Lock, pause, word


class TAS(Lock):
    locked = word()

    def acquire(self):
        yield pause()

    def release(self):
        yield pause()
"""
WRONG = RIGHT.replace("swap(1, ACQUIRE)", "load(ACQUIRE)")
ANSWERS = '{"guess": [9, 11], "n": 10}'
CHECKS = """
format = 1
name = "lab99-tiny"
title = "Tiny"
locks = "tas.py"
answers = "answers.json"

[variant.machine]
choice = ["ideal-8", "ideal-64"]

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
machine = "$machine"
cpus = [2]
measure = "transfers"
points = 3
needs = ["right"]
band = { high = 30.0 }
no_hint = "its numbers say all"

[[check]]
name = "guessed"
title = "Guessed"
kind = "prediction"
answer = "guess"
expected = 10.0
points = 2

[[check]]
name = "number"
title = "Number"
kind = "answer"
answer = "n"
expected = 10.0
points = 1
hints = ["ten"]
"""
BROKEN = """
[[broken]]
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
points = 4
"""


def make(folder: Path) -> Path:
    """Write the lab into a folder that is made for it."""
    for name, text in {
        "lab.toml": CHECKS,
        "handout.md": "# Tiny\n\nWrite `tas.py`, answer `guess` and `n` in\n`answers.json`.\n",
        "starter/tas.py": STARTER,
        "starter/answers.json": "{}\n",
        "solution/tas.py": RIGHT,
        "solution/answers.json": ANSWERS,
        "hidden/checks.toml": HIDDEN,
        "broken.toml": BROKEN,
        "rubric.md": "For the instructor.\n",
    }.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
