"""Gradescope's ``results.json``, within its schema.

Gradescope accepts no result without points, so each check of a student is a test. A hidden check,
of which students see only the verdict, is a test of visibility ``hidden`` for the staff, and a line
at the top of the page for the student. Scores go to the leaderboard.

The output is Markdown (``output_format: md``). Text from a student is escaped, so that none of it
acts as markup. In a line, every character that makes links, images, code, tables, emphasis or HTML
is escaped. A text of several lines is put in a fence that is longer than any fence in it.
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
        if not r.absent
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
        **_scores(result),
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


def _scores(result: Result) -> dict[str, Any]:
    """The leaderboard, where a check gives a score."""
    scores = [
        {"name": _line(c.title), "value": round(c.score, 4), "order": "desc"}
        for c in result.checks
        if c.score is not None
    ]
    return {"leaderboard": scores} if scores else {}


def _summary(result: Result) -> str:
    """The text above all checks."""
    parts = []
    if not result.complete:
        parts.append("Grading has not ended: checks that are missing below cost nothing.")
    if result.errors:
        parts.append(
            f"**The grader failed in {len(result.errors)} of the checks (internal error).** "
            "No points are lost: ask for this submission to be graded again."
        )
    secret = [c for c in result.checks if not (c.public or c.revealed)]
    if secret:
        earned, possible = hidden_points(result)
        parts.append(f"Hidden checks, in total {earned:.4g} of {possible:g} points:")
        parts.append("\n".join(f"- {_line(c.name)}: {WORDS[c.verdict]}" for c in secret))
    return "\n\n".join(parts) or "All checks are below."


def _test(check: CheckResult, number: int) -> dict[str, Any]:
    shown = seen(check)
    secret = not (check.public or check.revealed)
    return {
        "name": shown.title if not secret else f"hidden: {check.title}",
        "number": str(number),
        "score": check.points,
        "max_score": check.max_points,
        "status": "passed" if check.verdict == "pass" else "failed",
        "output": _output(check if secret else shown),
        "output_format": "md",
        "visibility": "hidden" if secret else "visible",
        "tags": [check.verdict],
        "extra_data": {"name": check.name, "verdict": check.verdict},
    }


def _output(check: CheckResult) -> str:
    """The verdict in words, then everything that explains it."""
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
