"""One problem inside a lesson: its question, a field for the answer, and why it is so.

Without a kernel the answer is folded below the question. ``locklab drill KIND`` poses more of the
drawn ones.
"""

from __future__ import annotations

import html
from collections.abc import Callable
from typing import Any

from locklessons.predictions import display_either
from locksim.play.drills import drill
from locksim.play.drills.problem import AnswerError, Problem
from lockui import record

__all__ = ["exercise", "pose"]


def pose(kind: str, seed: int) -> None:
    """Show a drill.

    Arguments:
        kind: as of ``locklab drill``. seed: the problem's number.
    """

    def note(right: bool) -> None:
        record.note("drill", kind, seed=seed, right=right)

    more = f"<p><em>More of them: <code>locklab drill {html.escape(kind)}</code></em></p>"
    _show(drill(kind, seed), note, more)


def exercise(name: str, question: str, answer: float, why: str, *, within: float = 0.05) -> None:
    """Show a question of the lesson's own that a number answers.

    Arguments:
        name: unique in the course, such as "1/at-24". question: its text, with the unit.
        answer: the right number. why: it is right. within: relative error that still is right.
    """

    def note(right: bool) -> None:
        record.note("exercise", name, right=right)

    asked = Problem(question, "a number, such as 40", frozenset({(answer,)}), why, within=within)
    _show(asked, note)


def _show(problem: Problem, note: Callable[[bool], None], more: str = "") -> None:
    asked = _text(problem.question)
    folded = f"<details><summary>The answer</summary>{_answer(problem)}</details>"
    static = {"text/html": asked + folded + more, "text/plain": problem.question}
    display_either(static, _box(problem, note, asked, more))


def _answer(problem: Problem) -> str:
    return f"<p>{html.escape(problem.shown())}</p>{_text(problem.why)}"


def _text(text: str) -> str:
    return f'<pre style="white-space: pre-wrap; word-break: normal">{html.escape(text)}</pre>'


def _box(problem: Problem, note: Callable[[bool], None], asked: str, more: str) -> Any:
    import ipywidgets

    field = ipywidgets.Text(
        placeholder=problem.form, layout=ipywidgets.Layout(width="26em", max_width="100%")
    )
    button = ipywidgets.Button(description="Check my answer")
    says = ipywidgets.HTML()

    def clicked(_: Any) -> None:
        try:
            right = problem.right(field.value)
        except AnswerError as error:
            says.value = f"<p>{html.escape(str(error))}</p>"
            return
        note(right)
        field.disabled = button.disabled = True
        verdict = "Right." if right else "Wrong. The answer is:"
        says.value = f"<p><strong>{verdict}</strong></p>{_answer(problem)}"

    button.on_click(clicked)
    return ipywidgets.VBox([ipywidgets.HTML(asked), field, button, says, ipywidgets.HTML(more)])
