"""What of the course is done, what comes next, and how long it takes.

The course is a row of steps: each lesson behind its labs, then its drills and its levels. A lab
comes first because the lesson shows what the lab asks. Times are those that the pages promise: a
lesson's own, and a lab's in ``docs/teach/course.md``. The learner's
record (:mod:`lockui.record`) says what was done:

- a lesson when all of its predictions are locked;
- a drill after three right answers; a level when it was won;
- a lab when all public checks passed in one run.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from locklabs import names as lab_names
from locklessons import notebooks
from lockui import files, record
from lockui.record import RecordError

__all__ = ["State", "Step", "add", "after", "course", "sentence", "show", "states", "time"]

DRILLS_RIGHT = 3
"""Right answers after which a kind of drill counts as done."""
DRILL_MINUTES, LEVEL_MINUTES = 10, 5
"""Assumed, for all drills of a kind and for a level."""

_ROW = re.compile(
    r"^\| (?:(?P<number>\d\d) [^|]*|capstone \(lab (?P<last>\d\d)\)) \| (?P<hours>[\d.–]+) \|"
    r"[^|]*\| lessons? (?P<lessons>[\d, ]+) \|$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Step:
    """One thing to do.

    Arguments:
        kind: lesson, drill, level or lab. name: as in the record. title: for a reader.
        minutes: what it takes, as the pages promise. how: the command, or the page.
        parts: how many answers or predictions make it done.
    """

    kind: str
    name: str
    title: str
    minutes: float
    how: str
    parts: int = 1


@dataclass(frozen=True)
class State:
    """A step and what was done of it.

    Arguments:
        step: the step. parts: how many of its parts. done: whether it is finished.
        words: the same for a reader; empty if it was not begun.
    """

    step: Step
    parts: int
    done: bool
    words: str


def course() -> list[Step]:
    """Return all steps, in the order in which one person alone does them."""
    from locksim.play.catalogue import levels
    from locksim.play.drills import KINDS

    labs, games = _labs(), levels()
    found: list[Step] = []
    drilled: set[str] = set()
    for lesson in notebooks.lessons():
        text = lesson.file.read_text("utf-8")
        found += labs.get(lesson.number, [])
        found.append(_lesson(lesson, text))
        for kind in KINDS:
            if kind not in drilled and f"locklab drill {kind}" in text:
                drilled.add(kind)
                how = f"locklab drill {kind}"
                found.append(Step("drill", kind, kind, DRILL_MINUTES, how, DRILLS_RIGHT))
        for game in games:
            if game.lesson == lesson.file.stem:
                how = f"playground/levels.html#{game.name}"
                found.append(Step("level", game.name, game.title, LEVEL_MINUTES, how))
    return found


def states(steps: Iterable[Step], lines: Iterable[Mapping[str, Any]]) -> list[State]:
    """Return what the lines of a record say about each step."""
    known = [*lines]
    judged = {"lesson": _of_lesson, "drill": _of_drill, "level": _of_level, "lab": _of_lab}
    return [judged[step.kind](step, known) for step in steps]


def sentence(found: Iterable[State]) -> str:
    """Return how much is done, how long the rest takes, and what comes next."""
    found = [*found]
    left = [state.step for state in found if not state.done]
    hours = sum(step.minutes for step in left) / 60
    says = f"{len(found) - len(left)} of {len(found)} steps done, some {hours:.0f} hours to go."
    if left:
        says += f" Next: {left[0].title} ({time(left[0].minutes)}): {left[0].how}"
    return says


def after(prediction: str) -> str:
    """Return what to say after a prediction was locked; nothing if it is of no lesson.

    Arguments:
        prediction: its name, such as "1/seconds".
    """
    found = states(course(), record.read())
    for state in found:
        if (state.step.kind, state.step.name) == ("lesson", prediction.partition("/")[0]):
            says = f"{state.words[0].upper()}{state.words[1:]}." if state.words else ""
            return f"{says} {sentence(found)}" if state.done else says
    return ""


def show() -> None:
    """Show the record in a notebook: the sentence, and what was begun or done."""
    from IPython.display import HTML, display

    found = states(course(), record.read())
    rows = "".join(
        f"<tr><td>{state.step.kind}</td><td>{html.escape(state.step.title)}</td>"
        f"<td>{html.escape(state.words)}</td></tr>"
        for state in found
        if state.words
    )
    head = "<tr><th>kind</th><th>step</th><th>state</th></tr>"
    table = f"<table><thead>{head}</thead><tbody>{rows}</tbody></table>" if rows else ""
    display(HTML(f"<p>{html.escape(sentence(found))}</p>{table}"))  # type: ignore[no-untyped-call]


def add(file: Path) -> int:
    """Add to the record what another file holds: levels saved by a browser, or another record.

    Returns:
        How many lines were new.

    Raises:
        RecordError: it is neither of the two.
    """
    try:
        whole = json.loads(file.read_text("utf-8"))
    except ValueError:
        whole = None
    except OSError as error:
        raise RecordError(f"{file} cannot be read: {error.strerror}") from error
    if isinstance(whole, dict) and whole.get("kind") == "locklab-levels":
        won = whole.get("won")
        if not isinstance(won, dict) or not all(type(n) is int and n > 0 for n in won.values()):
            raise RecordError(f"{file} is damaged: 'won' must give steps for each level")
        theirs = [{"kind": "level", "name": name, "steps": steps} for name, steps in won.items()]
    else:
        theirs = record.read(file)
    mine = [_key(line) for line in record.read()]
    new = [line for line in theirs if _key(line) not in mine]
    for line in new:
        more = {key: value for key, value in line.items() if key not in ("kind", "name", "at")}
        record.note(line["kind"], line["name"], **more)
    return len(new)


def time(minutes: float) -> str:
    """Return a time for a reader."""
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.2g} h"


def _key(line: Mapping[str, Any]) -> str:
    """What makes two lines the same, whenever they were written."""
    return json.dumps({key: line[key] for key in sorted(line) if key != "at"})


def _lesson(lesson: notebooks.Lesson, text: str) -> Step:
    takes = re.search(r"Reading\s+takes\s+(\d+)\s+minutes", text)
    asked = {*re.findall(r'= predict\(\s*"(\d+/[^"]+)"', text)}
    return Step(
        "lesson",
        str(lesson.number),
        f"lesson {lesson.title}",
        float(takes[1]) if takes else 0.0,
        f"locklab lesson open {lesson.number}",
        len(asked),
    )


def _labs() -> dict[int, list[Step]]:
    """The labs before each lesson: the first one that the table in docs/teach/course.md names."""
    found: dict[int, list[Step]] = {}
    installed = {name[:5]: name for name in lab_names()}
    text = (files.home() / "docs/teach/course.md").read_text("utf-8")
    for row in _ROW.finditer(text):
        name = installed.get(f"lab{row['number'] or row['last']}")
        if name is None:
            continue
        hours = [float(n) for n in row["hours"].split("–")]
        minutes = 60 * sum(hours) / len(hours)
        title = f"lab {name[3:5]}, {name[6:].replace('-', ' ')}"
        step = Step("lab", name, title, minutes, f"locklab lab start {name[:5]}")
        found.setdefault(int(row["lessons"].split(",")[0]), []).append(step)
    return found


def _of_lesson(step: Step, lines: list[Mapping[str, Any]]) -> State:
    begun = any((one["kind"], one["name"]) == ("lesson", step.name) for one in lines)
    locked = {
        one["name"]
        for one in lines
        if one["kind"] == "prediction" and one["name"].partition("/")[0] == step.name
    }
    parts = min(len(locked), step.parts)
    words = f"{parts} of {step.parts} predictions locked" if parts else "opened" if begun else ""
    return State(step, parts, bool(parts) and parts == step.parts, words)


def _of_drill(step: Step, lines: list[Mapping[str, Any]]) -> State:
    mine = [one for one in lines if (one["kind"], one["name"]) == ("drill", step.name)]
    right = len({one.get("seed") for one in mine if one.get("right")})
    words = f"{right} right of {len(mine)} answers" if mine else ""
    return State(step, min(right, step.parts), right >= step.parts, words)


def _of_level(step: Step, lines: list[Mapping[str, Any]]) -> State:
    steps = [one["steps"] for one in lines if (one["kind"], one["name"]) == ("level", step.name)]
    return State(step, len(steps[:1]), bool(steps), f"won in {min(steps)} steps" if steps else "")


def _of_lab(step: Step, lines: list[Mapping[str, Any]]) -> State:
    mine = [one for one in lines if (one["kind"], one["name"]) == ("lab", step.name)]
    if not mine:
        return State(step, 0, False, "")
    solved = any(one.get("solved") for one in mine)
    best = max(
        (one for one in mine if "points" in one), key=lambda one: one["points"], default=None
    )
    words = "started" if best is None else f"{best['points']:g} of {best['of']:g} points"
    return State(step, int(solved), solved, f"solved, {words}" if solved else words)
