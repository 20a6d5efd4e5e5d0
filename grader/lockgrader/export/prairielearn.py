"""PrairieLearn's results of an external grader, ``results.json``.

The score is a share, 0 to 1. A result in which the grader failed is ``gradable: false``, which
costs the student no points and no attempt. Texts are shown as they are, without markup.

Students see each open check as a test. The hidden checks are one test, whose output has only their
verdicts, because whoever shows a test shows its points.

The format: PrairieLearn's docs/externalGrading.md and apps/prairielearn/src/lib/
externalGraderCommon.ts at commit 88fb8556 (August 2026). A result over 1 MB is discarded there.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lockgrader.export.neutral import LeftOut, Shown, feedback, plain
from lockgrader.result import Result

__all__ = ["MOST_BYTES", "document", "nothing"]

MOST_BYTES = 1_000_000
LONGEST = 20_000
"""Characters of one check's output: with these, no lab's result comes near the limit."""


def document(result: Result, left_out: Sequence[LeftOut] = ()) -> dict[str, Any]:
    """A result as PrairieLearn reads it; a partial one or one with a grader's fault costs nothing.

    Arguments:
        left_out: the checks that this place cannot grade.
    """
    about = feedback(result, left_out)
    if result.errors or not result.complete:
        return nothing(about.notes[0])
    tests = [_test(one) for one in about.shown]
    if about.hidden:
        earned, possible = about.hidden_points
        verdicts = [f"{name}: {words}" for name, words in about.hidden.items()]
        tests.append(
            {
                "name": "hidden checks",
                "points": round(earned, 4),
                "max_points": possible,
                "output": "\n".join(verdicts),
            }
        )
    return {
        "gradable": True,
        "score": round(about.share, 6),
        "message": "\n".join(about.notes),
        "tests": tests,
    }


def nothing(why: str) -> dict[str, Any]:
    """A document that costs neither points nor an attempt."""
    return {"gradable": False, "format_errors": [why]}


def _test(one: Shown) -> dict[str, Any]:
    return {
        "name": one.check.title,
        "points": one.check.points,
        "max_points": one.check.max_points,
        "output": plain(one)[:LONGEST],
    }
