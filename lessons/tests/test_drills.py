"""A drill in a lesson: it asks, checks, explains and records; without a kernel it folds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from locklessons.drills import exercise, pose
from test_predictions import widget

from locksim.play.drills import drill
from lockui import record


@pytest.fixture
def box(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The widget of a problem, and a record of its own; the static form is beside it."""
    monkeypatch.setenv("LOCKLAB_PROGRESS", str(tmp_path / "mine.jsonl"))
    found: list[dict[str, Any]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: found.append(data))
    pose("transfers", seed=3)
    assert "<details><summary>The answer</summary><p>5</p>" in found[0]["text/html"]
    return widget(found[0])


def test_it_explains_a_wrong_answer_and_records_it(box: Any) -> None:
    """What cannot be read is no answer yet; after an answer the problem is closed."""
    _, field, button, says, _ = box.children
    field.value = "five"
    button.click()
    assert "is not an answer" in says.value
    assert [] == record.read()
    field.value = "4"
    button.click()
    assert "Wrong. The answer is:" in says.value
    assert "1. CPU 1 counts up" in says.value
    assert button.disabled
    (line,) = record.read()
    assert ("drill", "transfers", 3, False) == tuple(
        line[key] for key in ("kind", "name", "seed", "right")
    )


def test_a_right_answer(box: Any) -> None:
    """Is recorded as one."""
    _, field, button, says, _ = box.children
    field.value = drill("transfers", 3).shown()
    button.click()
    assert "Right." in says.value
    assert record.read()[0]["right"]


def test_an_exercise_of_the_lesson_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A number near enough is right, and its unit's factor is not; no drill is recorded."""
    monkeypatch.setenv("LOCKLAB_PROGRESS", str(tmp_path / "mine.jsonl"))
    found: list[dict[str, Any]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: found.append(data))
    for typed, right in (("25", True), ("25000", False)):
        exercise("1/at-24", "How many <µs>?", 24.9, "47 transfers")
        assert "How many &lt;µs&gt;?" in found[-1]["text/html"]
        _, field, button, says, _ = widget(found[-1]).children
        field.value = typed
        button.click()
        assert ("Right." in says.value) == right
        assert "47 transfers" in says.value
    assert [("exercise", "1/at-24", right) for right in (True, False)] == [
        (line["kind"], line["name"], line["right"]) for line in record.read()
    ]
