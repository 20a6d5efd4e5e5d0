"""Gradescope's ``results.json``, within its schema.

Gradescope takes no result without points in it, so each check of a student is a test. One that is
hidden, of which only the verdict may be told, is a test of visibility ``hidden`` for the staff, and
a line at the top of the page for the student. There is no leaderboard.

The output is Markdown (``output_format: md``). What a student wrote is put in so that none of it is
markup: in a line every sign that makes links, images, code, tables, emphasis or HTML is escaped,
and a text of several lines stands in a fence longer than any in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from lockgrader.report.feedback import right
from lockgrader.report.student import WORDS, hidden_points, seen
from lockgrader.result import CheckResult, Result
from lockui.tables import fixed

__all__ = ["document", "files"]

_MARKS = re.compile(r"([\\`*_{}\[\]()<>#!|&~$^])")


def files(results: Sequence[Result]) -> dict[str, str]:
    """One document a student."""
    return {
        f"{r.student}/gradescope.json": json.dumps(document(r), indent=2, allow_nan=False) + "\n"
        for r in results
    }


def document(result: Result) -> dict[str, Any]:
    """A result as Gradescope reads it; a partial one is valid too."""
    return {
        "output": _summary(result),
        "output_format": "md",
        "test_output_format": "md",
        "test_name_format": "text",
        "visibility": "visible",
        "stdout_visibility": "hidden",
        "tests": [_test(c, number) for number, c in enumerate(result.checks, start=1)],
        "extra_data": {
            "lab": result.lab,
            "lab_sha256": result.lab_sha256,
            "submission_sha256": result.submission_sha256,
            "versions": result.versions,
            "seeds": result.seeds,
            "complete": result.complete,
            "grader_errors": [c.name for c in result.errors],
        },
    }


def _summary(result: Result) -> str:
    """What is said of the whole."""
    told = []
    if not result.complete:
        told.append(
            "Grading has not ended: what is missing below was not graded, and costs nothing."
        )
    if result.errors:
        told.append(
            f"**{len(result.errors)} of the checks could not be graded through our own fault.** "
            "No points are lost: ask for this submission to be graded again."
        )
    secret = [c for c in result.checks if not (c.public or c.revealed)]
    if secret:
        earned, possible = hidden_points(result)
        told.append(f"Hidden checks, together {earned:.4g} of {possible:g} points:")
        told.append("\n".join(f"- {_line(c.name)}: {WORDS[c.verdict]}" for c in secret))
    return "\n\n".join(told) or "All checks are below."


def _test(check: CheckResult, number: int) -> dict[str, Any]:
    told = seen(check)
    secret = not (check.public or check.revealed)
    return {
        "name": told.title if not secret else f"hidden: {check.title}",
        "number": str(number),
        "score": check.points,
        "max_score": check.max_points,
        "status": "passed" if check.verdict == "pass" else "failed",
        "output": _output(check if secret else told),
        "output_format": "md",
        "visibility": "hidden" if secret else "visible",
        "tags": [check.verdict],
        "extra_data": {"name": check.name, "verdict": check.verdict},
    }


def _output(check: CheckResult) -> str:
    """The verdict in words, then all that teaches."""
    parts = [f"**{WORDS[check.verdict]}**"]
    first, _, more = check.message.partition("\n")
    if check.verdict != "grader_error":
        parts.append(_line(first))
        if more:
            parts.append(_fenced(more))
    if check.rows:
        lines = ["| | yours | right | |", "|---|---:|---:|---|"]
        lines += [
            f"| {_line(r.what)} | {fixed(r.got, None)} | {right(r)} | {_line(r.says)} |"
            for r in check.rows
        ]
        parts.append("\n".join(lines))
    if check.misconception:
        parts.append(f"Is this what you believe? “{_line(check.misconception)}”")
    if check.hint:
        parts.append(f"Hint: {_line(check.hint)}")
    if check.answer:
        parts.append(_fenced(check.answer))
    return "\n\n".join(p for p in parts if p)


def _line(text: str) -> str:
    return _MARKS.sub(r"\\\1", " ".join(text.split()))


def _fenced(text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"
