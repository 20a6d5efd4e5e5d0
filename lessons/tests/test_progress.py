"""The learner's progress: steps in order, what makes them done, what comes next, and the file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from locklessons import notebooks, progress
from locklessons.cli.progress import app
from locklessons.progress import Step, add, course, sentence, states
from typer.testing import CliRunner

from locklabs import names
from locksim.play.drills import KINDS
from lockui import record
from lockui.record import RecordError

RUN = CliRunner()


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A record of its own."""
    monkeypatch.setenv("LOCKLAB_PROGRESS", str(tmp_path / "mine" / "progress.jsonl"))
    return record.path()


def of(kind: str, name: str) -> progress.State:
    """The state of one step."""
    found = states(course(), record.read())
    (state,) = (s for s in found if (s.step.kind, s.step.name) == (kind, name))
    return state


def test_the_course_has_everything() -> None:
    """Each lesson, drill, level and lab once, all with a time; a lab comes before its lesson."""
    steps = course()
    by_kind = {k: [s.name for s in steps if s.kind == k] for k in ("lesson", "drill", "lab")}
    assert [str(lesson.number) for lesson in notebooks.lessons()] == by_kind["lesson"]
    assert sorted(KINDS) == sorted(by_kind["drill"])
    assert names() == sorted(by_kind["lab"])
    assert 15 == sum(step.kind == "level" for step in steps)
    assert [] == [step.name for step in steps if not step.minutes > 0]
    order = [(step.kind, step.name) for step in steps]
    assert order.index(("lesson", "2")) < order.index(("lab", "lab02-spinlocks"))
    assert order.index(("lab", "lab02-spinlocks")) < order.index(("lesson", "3"))


def test_a_lesson_is_done_when_all_its_predictions_are_locked() -> None:
    """One that is locked twice counts once."""
    step = next(step for step in course() if step.name == "1")
    assert step.parts >= 2
    record.note("lesson", "1")
    assert "opened" == of("lesson", "1").words
    for number in [0, *range(step.parts)]:
        assert not of("lesson", "1").done
        record.note("prediction", f"1/{number}", answer=1.0)
    assert of("lesson", "1").done


def test_a_drill_is_done_after_three_right_answers_to_different_problems() -> None:
    """Wrong ones are counted in words."""
    for seed, right in ((1, True), (1, True), (2, False), (3, True)):
        record.note("drill", "tso", seed=seed, right=right)
    assert (False, "2 right of 4 answers") == (of("drill", "tso").done, of("drill", "tso").words)
    record.note("drill", "tso", seed=4, right=True)
    assert of("drill", "tso").done


def test_a_lab_is_done_when_it_was_solved() -> None:
    """The best points are kept."""
    record.note("lab", "lab02-spinlocks", folder="here")
    assert "started" == of("lab", "lab02-spinlocks").words
    record.note("lab", "lab02-spinlocks", points=20, of=80, solved=False)
    assert "20 of 80 points" == of("lab", "lab02-spinlocks").words
    record.note("lab", "lab02-spinlocks", points=80, of=80, solved=True)
    assert "solved, 80 of 80 points" == of("lab", "lab02-spinlocks").words


def test_what_comes_next() -> None:
    """The first step that is not done, and the time of all that are not."""
    steps = [Step("level", "a", "A", 30, "do a"), Step("level", "b", "B", 120, "do b")]
    assert "0 of 2 steps done, some 2 hours to go. Next: A (30 min): do a" == sentence(
        states(steps, [])
    )
    lines: list[dict[str, Any]] = [{"kind": "level", "name": n, "steps": 4} for n in ("a", "b")]
    assert "2 of 2 steps done, some 0 hours to go." == sentence(states(steps, lines))


def test_levels_of_a_browser_are_added_once(tmp_path: Path) -> None:
    """From the file that its page saves."""
    saved = tmp_path / "levels.json"
    saved.write_text(json.dumps({"kind": "locklab-levels", "won": {"lost-update": 4}}))
    assert (1, 0) == (add(saved), add(saved))
    assert "won in 4 steps" == of("level", "lost-update").words


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{}", "line 1 is not a line of a record; delete that line"),
        ('{"kind": "locklab-levels", "won": {"a": "4"}}', "'won' must give steps"),
        ("no json", "line 1 is not a line of a record"),
    ],
)
def test_another_file_is_refused(text: str, says: str, tmp_path: Path) -> None:
    """Nothing is added."""
    (tmp_path / "x").write_text(text)
    with pytest.raises(RecordError, match=says):
        add(tmp_path / "x")
    assert [] == record.read()


def test_the_command(file: Path) -> None:
    """What is done, what comes next, and where the file is; all of it as JSON."""
    record.note("level", "lost-update", steps=4)
    said = RUN.invoke(app, [])
    assert 0 == said.exit_code
    for words in ("won in 4 steps, done", "Next: lab 00", "levels done: 1", str(file)):
        assert words in said.stdout.replace("\n", "")
    document = json.loads(RUN.invoke(app, ["--json"]).stdout)
    said_next = (document["done"], document["next"], document["file"])
    assert (1, "lab00-five-minutes", str(file)) == said_next
    assert document["steps"] == len(document["course"])


def test_in_a_notebook(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same sentence, and the steps that were begun."""
    shown: list[Any] = []
    monkeypatch.setattr("IPython.display.display", shown.append)
    record.note("lesson", "1")
    progress.show()
    assert "opened" in shown[0].data
    assert "Next: lab 00" in shown[0].data
