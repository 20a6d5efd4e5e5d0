"""What the lessons teach from simulations is true, and stays true in runs ten times as long.

A claim of ``claims.toml`` is a sentence of a lesson, an expression in the lesson's own names, and
the range in which its value makes the sentence true.
"""

from __future__ import annotations

import json
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from locklessons.notebooks import Lesson, lessons, run

CLAIMS: dict[str, list[dict[str, Any]]] = tomllib.loads(
    Path(__file__).with_name("claims.toml").read_text("utf-8")
)
LESSONS = [lesson for lesson in lessons() if lesson.name in CLAIMS]
LONGER = """
import locksim
from locksim.study import simulation


def longer(simulated, option, usual, times):
    def run(*given, **named):
        return simulated(*given, **named | {option: times * named.get(option, usual)})

    return run


simulation.simulate = longer(simulation.simulate, "operations", 100, TIMES)
locksim.simulate = simulation.simulate
# The papers take their `simulate` when they are imported.
from locksim.papers.franke_2001 import setting as chatroom
from locksim.papers.long_2013 import setting as dcache

dcache.runs = longer(dcache.runs, "samples", dcache.SAMPLES, TIMES)
# A run of Chatroom is long already.
chatroom.run = longer(chatroom.run, "messages", chatroom.MESSAGES, min(TIMES, 4))
"""


def values(lesson: Lesson, folder: Path, times: int) -> list[float]:
    """The values of a lesson's claims, in runs so many times as long as those of the lesson."""
    head, heading, body = lesson.file.read_text("utf-8").partition("\n# ")
    asked = ", ".join(f"float({claim['value']})" for claim in CLAIMS[lesson.name])
    copy = folder / lesson.file.name
    copy.write_text(
        head
        + cell(LONGER.replace("TIMES", str(times)))
        + heading
        + body
        + cell(f"import json\n\nprint(json.dumps([{asked}]))"),
        encoding="utf-8",
    )
    cells = run(replace(lesson, file=copy), seconds=60 * times).cells
    found: list[float] = json.loads(cells[-1].outputs[-1].text)
    return found


def cell(code: str) -> str:
    """A code cell of a lesson."""
    return f"\n```{{code-cell}} python\n{code}\n```\n"


def test_each_claim_is_a_sentence_of_its_lesson() -> None:
    """So the text cannot change without the claim; its range has a beginning and an end."""
    assert {*CLAIMS} == {lesson.name for lesson in LESSONS}
    for lesson in LESSONS:
        text = " ".join(lesson.file.read_text("utf-8").split())
        for claim in CLAIMS[lesson.name]:
            assert claim["says"] in text
            assert claim["from"] < claim["to"]
            compile(claim["value"], lesson.name, "eval")


@pytest.mark.slow
@pytest.mark.parametrize("times", [1, 10])
@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_it_is_true_in_longer_runs(lesson: Lesson, times: int, tmp_path: Path) -> None:
    """Each value lies in its range in the lesson itself, and with ten times the operations."""
    found = zip(CLAIMS[lesson.name], values(lesson, tmp_path, times), strict=True)
    assert [] == [
        (claim["says"], value)
        for claim, value in found
        if not claim["from"] <= value <= claim["to"]
    ]
