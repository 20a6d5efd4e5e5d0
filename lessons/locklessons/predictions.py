"""Predict, run, explain: a box takes a prediction, locks it, and shows it beside the result.

    guess = predict("1/seconds", "How long do 32 CPUs take?", unit="s", at=32)
    reveal(curves(...), {guess: measured_seconds})

In a notebook with a running kernel the box has a field and a button, and the result stays hidden
until the prediction is locked or the learner asks for it. The first locked prediction counts; it
cannot be changed. Without a kernel, the page shows the question and, below, the result: this form
holds nothing of the learner, so a lesson that is run twice gives the same page twice. On the site a
script makes a box of it too, from its ``data-`` attributes (``site/_static/lessons.js``).

Locked predictions are lines of the learner's own record (:mod:`lockui.record`).
"""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from locklessons import progress
from locklessons.figures import Figure
from lockui import record

KIND = "prediction"
_BOX = "border-left: 4px solid #2f7ed8; padding: 0.3em 0.9em; margin: 0.6em 0"


class PredictionError(ValueError):
    """An answer that cannot be locked."""


class Prediction:
    """One question and the learner's answer to it.

    Arguments:
        name: unique in the course, such as "1/seconds".
        question: the text of the box.
        unit: of a number. at: its place on the figure's x axis.
        choices: the possible answers, if it is not a number.
    """

    def __init__(
        self,
        name: str,
        question: str,
        *,
        unit: str = "",
        at: float | None = None,
        choices: Sequence[str] = (),
    ) -> None:
        self.name, self.question = name, question
        self.unit, self.at, self.choices = unit, at, tuple(choices)
        self._listeners: list[Callable[[], None]] = []

    @property
    def answer(self) -> float | str | None:
        """The locked answer; None if there is none yet."""
        for line in recorded():
            if line["name"] == self.name:
                found: float | str = line["answer"]
                return found
        return None

    def lock(self, typed: str) -> None:
        """Record the answer, once and for all.

        Arguments:
            typed: one of the choices, or a number.

        Raises:
            PredictionError: it is locked already, not one of the choices, or not a number.
        """
        if self.answer is not None:
            raise PredictionError("this prediction is locked; it cannot be changed")
        record.note(
            KIND, self.name, question=self.question, answer=self._read(typed), unit=self.unit
        )
        for listener in self._listeners:
            listener()

    def when_locked(self, listener: Callable[[], None]) -> None:
        """Call a function as soon as the prediction is locked."""
        self._listeners.append(listener)

    def beside(self, result: float | str) -> str:
        """One sentence that compares the locked answer with the result."""
        answer, unit = self.answer, f" {self.unit}" if self.unit else ""
        if isinstance(answer, str) or isinstance(result, str):
            verdict = "as you predicted" if answer == result else f"you predicted: {answer}"
            return f"The result: {result} ({verdict})."
        assert answer is not None
        return f"You predicted {answer:g}{unit}; the result is {result:.3g}{unit}" + _ratio(
            answer, result
        )

    def _read(self, typed: str) -> float | str:
        if self.choices:
            if typed not in self.choices:
                raise PredictionError(f"choose one of: {', '.join(self.choices)}")
            return typed
        try:
            number = float(typed.replace(",", "").removesuffix(self.unit).strip())
        except ValueError:
            raise PredictionError(f"type a number, such as 40 (got '{typed}')") from None
        if not 0 <= number < 1e15:
            raise PredictionError(f"type a number from 0 on (got '{typed}')")
        return number


def recorded() -> list[dict[str, Any]]:
    """The locked predictions, oldest first; only the first one of each name counts."""
    return [line for line in record.read() if line["kind"] == KIND]


def predict(
    name: str,
    question: str,
    *,
    unit: str = "",
    at: float | None = None,
    choices: Sequence[str] = (),
) -> Prediction:
    """Show a box that takes a prediction, and return the prediction for :func:`reveal`.

    Arguments:
        name, question, unit, at, choices: see :class:`Prediction`.
    """
    made = Prediction(name, question, unit=unit, at=at, choices=choices)
    display_either({"text/html": _static(made), "text/plain": f"Predict: {question}"}, _box(made))
    return made


def reveal(figure: Figure, results: Mapping[Prediction, float | str]) -> None:
    """Show a figure with the predictions in it, and compare each of them with its result.

    Arguments:
        figure: the result. A prediction with a place on the x axis is marked in it.
        results: for each prediction the true answer, in the prediction's unit.
    """
    said = [
        {"name": p.name, "unit": p.unit, "result": results[p], "at": figure.marked and p.at}
        for p in results
    ]
    shown = f'<div data-results="{_attribute(said)}">{figure.html()}</div>'
    static = {"text/html": shown, "text/plain": figure.alt}
    display_either(static, _hidden(figure, results))


def _ratio(answer: float, result: float) -> str:
    if answer == result:
        return ", exactly that."
    if min(answer, result) <= 0:
        return "."
    times = max(answer, result) / min(answer, result)
    return f": yours is {times:.2g} times too {'low' if result > answer else 'high'}."


def _static(made: Prediction) -> str:
    choices = "".join(f"<li>{html.escape(choice)}</li>" for choice in made.choices)
    asked = _attribute({"name": made.name, "unit": made.unit, "choices": made.choices})
    return (
        f'<div data-prediction="{asked}" style="{_BOX}">'
        f"<p><strong>Predict.</strong> {html.escape(made.question)}</p>"
        + (f"<ul>{choices}</ul>" if choices else "")
        + "<p><em>Write your answer down before you read on. In a notebook this box takes it, "
        "locks it, and shows it beside the result.</em></p></div>"
    )


def _attribute(data: Any) -> str:
    return html.escape(json.dumps(data, ensure_ascii=False, default=float))


def _box(made: Prediction) -> Any:
    import ipywidgets

    heading = (
        f'<p style="line-height: 1.4"><strong>Predict.</strong> {html.escape(made.question)}</p>'
    )
    field: Any
    if made.choices:
        # In the usual 300 pixels a long choice would be two lines, and overlap with the next.
        wide = ipywidgets.Layout(width="auto")
        field = ipywidgets.RadioButtons(options=list(made.choices), value=None, layout=wide)
    else:
        field = ipywidgets.Text(placeholder=f"a number{f' [{made.unit}]' if made.unit else ''}")
    button = ipywidgets.Button(description="Lock my prediction")
    says = ipywidgets.HTML()

    def locked() -> None:
        field.disabled = button.disabled = True
        unit = f" {made.unit}" if made.unit and not made.choices else ""
        locked = f"Locked: {html.escape(str(made.answer))}{unit}."
        says.value = " ".join([locked, html.escape(progress.after(made.name))]).strip()

    def clicked(_: Any) -> None:
        try:
            made.lock(str(field.value or ""))
        except PredictionError as error:
            says.value = html.escape(str(error))

    button.on_click(clicked)
    made.when_locked(locked)
    if made.answer is not None:
        locked()
    box = ipywidgets.VBox([ipywidgets.HTML(heading), field, button, says])
    box.layout.border_left = "4px solid #2f7ed8"
    box.layout.padding = "0 0 0 0.8em"
    return box


def _hidden(figure: Figure, results: Mapping[Prediction, float | str]) -> Any:
    import ipywidgets

    shown = ipywidgets.HTML()
    button = ipywidgets.Button(
        description="Show it without a prediction", layout=ipywidgets.Layout(width="auto")
    )
    box = ipywidgets.VBox([shown, button])

    def show(_: Any = None) -> None:
        locked = [p for p in results if p.answer is not None]
        points = {
            p.at: p.answer for p in locked if p.at is not None and isinstance(p.answer, float)
        }
        says = "".join(f"<p>{html.escape(p.beside(results[p]))}</p>" for p in locked)
        shown.value = figure.with_predictions(points).html() + says
        box.children = [shown]

    def perhaps() -> None:
        missing = sum(p.answer is None for p in results)
        if not missing:
            show()
        elif button in box.children:
            shown.value = (
                f"<p>The result appears when you have locked your prediction ({missing} to go).</p>"
            )

    button.on_click(show)
    for prediction in results:
        prediction.when_locked(perhaps)
    perhaps()
    return box


def display_either(static: dict[str, str], widget: Any) -> None:
    """Show a widget where a kernel runs, and the static form elsewhere."""
    from IPython.display import display

    live = {k: v for k, v in widget._repr_mimebundle_().items() if "widget" in k}
    display({**static, **live}, raw=True)  # type: ignore[no-untyped-call]
