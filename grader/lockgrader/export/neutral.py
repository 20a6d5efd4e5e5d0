"""What a platform may show its student of a result, before it takes the form of any platform.

One conversion decides what is shown: a hidden check's name and verdict, the sum of the hidden
points, and for every other check its verdict in words, the reason, the numbers, a hint. The writers
of the platforms only arrange it. ``markdown`` and ``plain`` are the two ways to write a check.

In Markdown, text from a student is escaped, so that none of it acts as markup. In a line, every
character that makes links, images, code, tables, emphasis or HTML is escaped. A text of several
lines is put in a fence that is longer than any fence in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from lockgrader.report.feedback import right
from lockgrader.report.student import WORDS, hidden_points, in_words, seen, without_places
from lockgrader.result import CheckResult, Result
from lockui.tables import fixed

__all__ = ["Feedback", "LeftOut", "Shown", "feedback", "line", "markdown", "notes_in", "plain"]

_MARKS = re.compile(r"([\\`*_{}\[\]()<>#!|&~$^])")


@dataclass(frozen=True)
class LeftOut:
    """A check that cannot be graded in this place: it counts neither as earned nor as possible."""

    name: str
    points: float


@dataclass(frozen=True)
class Shown:
    """A check as its student sees it.

    Arguments:
        check: without what a student must not see. words: the verdict. reason: the first line of
            the message. more: the other lines. place: file and line of the mistake, or None.
    """

    check: CheckResult
    words: str
    reason: str
    more: str
    place: tuple[str, int] | None


@dataclass(frozen=True)
class Feedback:
    """A result as its student sees it.

    Arguments:
        shown: the open checks. hidden: name → verdict in words of the others.
        hidden_points: earned and possible in all hidden checks together.
        notes: sentences about the grading as a whole, the most important first.
    """

    result: Result
    shown: tuple[Shown, ...]
    hidden: dict[str, str]
    hidden_points: tuple[float, float]
    notes: tuple[str, ...]

    @property
    def share(self) -> float:
        """Points earned of those that are graded, 0 to 1: a person's come elsewhere."""
        possible = self.result.graded_points
        return 0.0 if not possible else min(1.0, max(0.0, self.result.points / possible))


def feedback(result: Result, left_out: Sequence[LeftOut] = ()) -> Feedback:
    """The feedback of a result, of a partial one too.

    Arguments:
        left_out: the checks that this place cannot grade.
    """
    secret = {c.name: WORDS[c.verdict] for c in result.checks if not (c.public or c.revealed)}
    return Feedback(
        result=result,
        shown=tuple(shown(c, result) for c in result.checks if c.name not in secret),
        hidden=secret,
        hidden_points=hidden_points(result),
        notes=tuple(_notes(result, left_out)),
    )


def shown(check: CheckResult, result: Result) -> Shown:
    """A check as its student sees it; one whose secrets the caller may show, as it is."""
    open_to_student = seen(check) if check.public or check.revealed else without_places(check)
    reason, _, more = open_to_student.message.partition("\n")
    return Shown(open_to_student, in_words(check), reason, more, _place(check, tuple(result.files)))


def notes_in(feedback: Feedback) -> list[str]:
    """The notes, and the hidden checks, as plain sentences."""
    notes = list(feedback.notes)
    if feedback.hidden:
        earned, possible = feedback.hidden_points
        verdicts = "; ".join(f"{name}: {words}" for name, words in feedback.hidden.items())
        notes.append(f"Hidden checks, in total {earned:.4g} of {possible:g} points: {verdicts}.")
    return notes


def markdown(shown: Shown) -> str:
    """The verdict in words, then everything that explains it."""
    check = shown.check
    parts = [f"**{shown.words}**", line(shown.reason)]
    if shown.more:
        parts.append(_fenced(shown.more))
    if check.rows:
        lines = ["| | yours | right | |", "|---|---:|---:|---|"]
        lines += [
            f"| {line(r.what)} | {fixed(r.got, None)} | {right(r)} | {line(r.says)} |"
            for r in check.rows
        ]
        parts.append("\n".join(lines))
    if check.misconception:
        parts.append("  \n".join(map(line, _belief(check))))
    if check.hint:
        parts.append(f"Hint: {line(check.hint)}")
    if check.answer:
        parts.append(_fenced(check.answer))
    return "\n\n".join(p for p in parts if p)


def plain(shown: Shown) -> str:
    """As :func:`markdown`, without markup; the first line is the verdict in words."""
    check = shown.check
    lines = [shown.words, shown.reason, *shown.more.splitlines()]
    lines += [
        f"{r.what}: {fixed(r.got, None)}" + f" (right: {right(r)})" * bool(right(r)) + f" {r.says}"
        for r in check.rows
    ]
    if check.misconception:
        lines += _belief(check)
    if check.hint:
        lines.append(f"Hint: {check.hint}")
    lines += check.answer.splitlines()
    return "\n".join(part for part in lines if part)


def _belief(check: CheckResult) -> list[str]:
    """The misconception that may be behind a mistake, its correction, and where to read on."""
    truth = f"In truth: {check.truth}" if check.truth else ""
    see = f"Read on: {check.see}" if check.see else ""
    return [t for t in (f"Is this what you believe? “{check.misconception}”", truth, see) if t]


def line(text: str) -> str:
    """A text in one line of Markdown, of which nothing acts as markup."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def _notes(result: Result, left_out: Sequence[LeftOut]) -> list[str]:
    notes = []
    if not result.complete:
        notes.append("Grading has not ended: checks that are missing below cost nothing.")
    if result.errors:
        notes.append(
            f"The grader failed in {len(result.errors)} of the checks (internal error). "
            "No points are lost: ask for this submission to be graded again."
        )
    if left_out:
        points = sum(one.points for one in left_out)
        notes.append(
            f"Not graded here: {len(left_out)} checks of the part in C, {points:g} points. This "
            "platform allows no sandbox in which a compiler can run. These points count neither "
            "as earned nor as possible here; your instructor grades them elsewhere."
        )
    return notes


def _place(check: CheckResult, files: tuple[str, ...]) -> tuple[str, int] | None:
    """Where the mistake is: the last step of a counterexample, or what the message names."""
    steps = (check.counterexample or {}).get("steps") or ()
    for step in reversed(steps):
        file = str(step.get("file")).strip("<>")  # as the compiler names a text
        if file in files and isinstance(step.get("line"), int):
            return file, step["line"]
    for file in files:
        if found := re.search(rf"(?<![\w.-]){re.escape(file)}>?:(\d{{1,7}})\b", check.message):
            return file, int(found[1])
    return None


def _fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
