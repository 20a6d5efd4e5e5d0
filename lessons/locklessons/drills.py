"""One drawn problem inside a lesson: its question, a field for the answer, and why it is so.

Without a kernel the answer is folded below the question. ``locklab drill KIND`` poses more.
"""

from __future__ import annotations

import html
from typing import Any

from locklessons.predictions import display_either
from locksim.play.drills import drill
from locksim.play.drills.problem import AnswerError, Problem
from lockui import record


def pose(kind: str, seed: int) -> None:
    """Show a drill.

    Arguments:
        kind: as of ``locklab drill``. seed: the problem's number.
    """
    problem = drill(kind, seed)
    asked = f"<pre>{html.escape(problem.question)}</pre>"
    folded = f"<details><summary>The answer</summary>{_answer(problem)}</details>"
    more = f"<p><em>More of them: <code>locklab drill {html.escape(kind)}</code></em></p>"
    static = {"text/html": asked + folded + more, "text/plain": problem.question}
    display_either(static, _box(problem, kind, seed, asked, more))


def _answer(problem: Problem) -> str:
    return f"<p>{html.escape(problem.shown())}</p><pre>{html.escape(problem.why)}</pre>"


def _box(problem: Problem, kind: str, seed: int, asked: str, more: str) -> Any:
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
        record.note("drill", kind, seed=seed, right=right)
        field.disabled = button.disabled = True
        verdict = "Right." if right else "Wrong. The answer is:"
        says.value = f"<p><strong>{verdict}</strong></p>{_answer(problem)}"

    button.on_click(clicked)
    return ipywidgets.VBox([ipywidgets.HTML(asked), field, button, says, ipywidgets.HTML(more)])
