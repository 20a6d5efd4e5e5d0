"""Predictions: locked once, kept in the learner's file, and shown beside the result."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import ipywidgets
import pytest
from locklessons.figures import curves
from locklessons.predictions import Prediction, PredictionError, predict, recorded, reveal


@pytest.fixture(autouse=True)
def record(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A record of its own."""
    monkeypatch.setenv("LOCKLAB_PROGRESS", str(tmp_path / "mine.jsonl"))
    return tmp_path / "mine.jsonl"


@pytest.fixture
def shown(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The MIME bundles that were displayed."""
    found: list[dict[str, Any]] = []
    monkeypatch.setattr("IPython.display.display", lambda data, raw: found.append(data))
    return found


def figure() -> Any:
    """Two points; the second one is to be predicted."""
    return curves({"a": {1: 1.0, 2: 8.0}}, x="CPUs", y="time [s]", caption="A curve.")


def widget(bundle: dict[str, Any]) -> Any:
    """The widget of a displayed bundle."""
    view = bundle["application/vnd.jupyter.widget-view+json"]
    from ipywidgets.widgets.widget import _instances

    return _instances[view["model_id"]]


def test_the_first_answer_counts() -> None:
    """It is kept over sessions, and cannot be replaced."""
    Prediction("1/x", "How long?", unit="s").lock("4 s")
    later = Prediction("1/x", "How long?", unit="s")
    assert 4.0 == later.answer
    with pytest.raises(PredictionError, match="it cannot be changed"):
        later.lock("8")
    assert [4.0] == [line["answer"] for line in recorded()]


@pytest.mark.parametrize("typed", ["", "many", "-3", "nan", "inf"])
def test_not_a_number(typed: str, record: Path) -> None:
    """Nothing is locked; the message says what to type."""
    with pytest.raises(PredictionError, match="type a number"):
        Prediction("1/x", "How long?").lock(typed)
    assert not record.exists()


def test_a_choice() -> None:
    """One of the given ones; compared as words."""
    made = Prediction("1/y", "More?", choices=["more", "fewer"])
    with pytest.raises(PredictionError, match="choose one of: more, fewer"):
        made.lock("the same")
    made.lock("more")
    assert "The result: more (as you predicted)." == made.beside("more")
    assert "The result: fewer (you predicted: more)." == made.beside("fewer")


@pytest.mark.parametrize(
    ("answer", "result", "says"),
    [
        ("4", 8.0, "You predicted 4 s; the result is 8 s: yours is 2 times too low."),
        ("16", 8.0, "You predicted 16 s; the result is 8 s: yours is 2 times too high."),
        ("8", 8.0, "You predicted 8 s; the result is 8 s, exactly that."),
        ("0", 8.0, "You predicted 0 s; the result is 8 s."),
    ],
)
def test_beside(answer: str, result: float, says: str) -> None:
    """The sentence names both and their ratio."""
    made = Prediction("1/x", "How long?", unit="s")
    made.lock(answer)
    assert says == made.beside(result)


def test_from_box_to_figure(shown: list[dict[str, Any]]) -> None:
    """The result is hidden, the learner locks, the figure appears with the point in it."""
    made = predict("1/x", "How long take 2 CPUs?", unit="s", at=2)
    reveal(figure(), {made: 8.0})
    box, result = map(widget, shown)
    assert "<svg" not in result.children[0].value
    _, field, button, says = box.children
    field.value = "four"
    button.click()
    assert "type a number" in says.value
    field.value = "4"
    button.click()
    assert says.value.startswith("Locked: 4.0 s. 1 of ")
    assert field.disabled
    assert button.disabled
    (only,) = result.children
    assert "your prediction: 4.00 at 2." in only.value
    assert "2 times too low" in only.value


def test_without_a_prediction(shown: list[dict[str, Any]]) -> None:
    """The learner may ask for the result; the figure then has no point of theirs."""
    made = predict("1/x", "How long take 2 CPUs?", at=2)
    reveal(figure(), {made: 8.0})
    result = widget(shown[1])
    result.children[1].click()
    assert "<svg" in result.children[0].value
    assert "your prediction" not in result.children[0].value


def test_the_static_form_has_nothing_of_the_learner(shown: list[dict[str, Any]]) -> None:
    """A page that is built twice is the same, whatever was locked in between."""
    made = predict("1/x", "How long?", choices=["a < b", "c"])
    reveal(figure(), {made: "c"})
    made.lock("c")
    predict("1/x", "How long?", choices=["a < b", "c"])
    reveal(figure(), {made: "c"})
    texts = [bundle["text/html"] for bundle in shown]
    assert texts[:2] == texts[2:]
    assert "<li>a &lt; b</li>" in texts[0]
    assert "<svg" in texts[1]


def test_a_locked_box_stays_locked(shown: list[dict[str, Any]]) -> None:
    """After a restart the box shows the answer, and the result is there at once."""
    Prediction("1/x", "How long?").lock("4")
    made = predict("1/x", "How long?")
    reveal(figure(), {made: 8.0})
    box, result = map(widget, shown)
    assert box.children[1].disabled
    assert isinstance(result.children[0], ipywidgets.HTML)
    assert "<svg" in result.children[0].value
