"""Gradescope's ``results.json``, within its schema.

Gradescope accepts no result without points, so each check of a student is a test. A hidden check,
of which students see only the verdict, is a test of visibility ``hidden`` for the staff, and a line
at the top of the page for the student. Scores go to the leaderboard. While a course withholds
points, nothing is visible before the grades are published there.

The format: https://gradescope-autograders.readthedocs.io/en/latest/specs/ (read in November 2026).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from lockgrader.export.neutral import Feedback, LeftOut, feedback, line, markdown, shown
from lockgrader.report.student import withheld
from lockgrader.result import CheckResult, Result


def files(results: Sequence[Result]) -> dict[str, str]:
    """One document a student."""
    return {
        f"{r.student}/gradescope.json": json.dumps(document(r), indent=2, allow_nan=False) + "\n"
        for r in results
        if not r.absent
    }


def document(result: Result, left_out: Sequence[LeftOut] = ()) -> dict[str, Any]:
    """A result as Gradescope reads it; a partial one is valid too.

    Arguments:
        left_out: the checks that this place cannot grade.
    """
    about, waits = feedback(result, left_out), withheld(result)
    return {
        "output": line(waits) or _summary(about),
        "output_format": "md",
        "test_output_format": "md",
        "test_name_format": "text",
        "visibility": "after_published" if waits else "visible",
        "stdout_visibility": "hidden",
        **({} if waits else _scores(result)),
        "tests": [_test(c, result, n, waits) for n, c in enumerate(result.checks, start=1)],
        "extra_data": {
            "lab": result.lab,
            "lab_sha256": result.lab_sha256,
            "submission_sha256": result.submission_sha256,
            "versions": result.versions,
            "seeds": result.seeds,
            "complete": result.complete,
            "grader_errors": [c.name for c in result.errors],
            "not_graded_here": [one.name for one in left_out],
        },
    }


def _scores(result: Result) -> dict[str, Any]:
    """The leaderboard, where a check gives a score."""
    scores = [
        {"name": line(c.title), "value": round(c.score, 4), "order": "desc"}
        for c in result.checks
        if c.score is not None
    ]
    return {"leaderboard": scores} if scores else {}


def _summary(about: Feedback) -> str:
    """The text above all checks."""
    parts = [line(note) for note in about.notes]
    if about.hidden:
        earned, possible = about.hidden_points
        parts.append(f"Hidden checks, in total {earned:.4g} of {possible:g} points:")
        parts.append("\n".join(f"- {line(name)}: {w}" for name, w in about.hidden.items()))
    return "\n\n".join(parts) or "All checks are below."


def _test(check: CheckResult, result: Result, number: int, waits: str) -> dict[str, Any]:
    secret = not (check.public or check.revealed)
    open_ = "after_published" if waits else "visible"
    return {
        "name": f"hidden: {check.title}" if secret else check.title,
        "number": str(number),
        "score": check.points,
        "max_score": check.max_points,
        "status": "passed" if check.verdict == "pass" else "failed",
        "output": markdown(shown(check, result)),
        "output_format": "md",
        "visibility": "hidden" if secret else open_,
        "tags": [check.verdict],
        "extra_data": {"name": check.name, "verdict": check.verdict},
    }
