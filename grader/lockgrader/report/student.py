"""What a student may see of a result.

A hidden check stays hidden after grading. The student sees its name and verdict, but no title,
message or numbers from which to guess the check. A check with ``revealed = true`` in the lab is
shown completely. The points of hidden checks are shown as one sum, because the total is shown.

A course can withhold points until a date. Before it a student sees the verdicts and explanations of
public checks, which they get at home too, and neither points nor hidden checks. (A public check
that lost its points because of a hidden one still says so.)
"""

from __future__ import annotations

import re
from datetime import datetime

from lockgrader import clock
from lockgrader.result import CheckResult, Result, Verdict

__all__ = [
    "HIDDEN",
    "WORDS",
    "hidden_points",
    "in_words",
    "not_decided",
    "seen",
    "seen_in",
    "unmarked",
    "withheld",
    "without_places",
]

HIDDEN = "a hidden check: only its verdict is shown"
INTERNAL = "not decided, and no points are lost: internal error of the grader"
_TRACEBACK = re.compile('Traceback|  File "')
WORDS: dict[Verdict, str] = {
    "pass": "passed",
    "partial": "partly right",
    "fail": "not right yet",
    "student_error": "your file has an error",
    "timeout_cpu": "used too much processor time",
    "timeout_wall": "did not end in time",
    "out_of_memory": "used too much memory",
    "output_limit": "wrote too much output",
    "forbidden_operation": "used a forbidden operation",
    "no_output": "missing",
    "malformed_output": "not in the required form",
    "ungradable": "could not be read; no attempt is lost",
    "skipped": "waits for another check",
    "grader_error": "not decided yet: it costs no points, and is graded again",
}
"""Each verdict in words for its student."""


def unmarked(result: Result) -> int:
    """How many answers in words wait for a person's points."""
    return sum(
        bool(c.answer) and c.mark is None and c.name in result.by_hand for c in result.checks
    )


def not_decided(check: CheckResult) -> str:
    """Why a check has no verdict; of an internal error the last line, which names it."""
    if not _TRACEBACK.search(check.message):
        return check.message
    return f"{INTERNAL}: {check.message.strip().rpartition(chr(10))[2]}"


def withheld(result: Result) -> str:
    """Why a student sees neither points nor hidden verdicts yet, or "" if they do."""
    if not result.release or datetime.fromisoformat(result.release) <= clock.now():
        return ""
    return f"Points and hidden checks are shown from {result.release.replace('T', ' ')} on."


def in_words(check: CheckResult) -> str:
    """A check's verdict for its student; a person's stands above the grader's."""
    if check.mark is not None:
        return "marked by a person"
    return "handed in; a person will read it" if check.answer else WORDS[check.verdict]


def seen_in(result: Result) -> list[CheckResult]:
    """The checks of a result as its student sees them now; :func:`withheld` ones are left out."""
    if not withheld(result):
        return [seen(c) for c in result.checks]
    return [seen(c.with_mark(None)) for c in result.checks if c.public]


def seen(check: CheckResult) -> CheckResult:
    """A check as its student sees it after the release."""
    if check.public or check.revealed:
        return without_places(check).model_copy(update={"elsewhere": ()})
    return CheckResult(
        name=check.name,
        title=check.name,
        public=False,
        verdict=check.verdict,
        points=0.0,
        max_points=0.0,
        message=HIDDEN,
    )


def without_places(check: CheckResult) -> CheckResult:
    """A check without the message of an internal error, which may name files of this machine."""
    internal = check.verdict == "grader_error" and re.search(r"/|Traceback", check.message)
    says = f"{INTERNAL}; your instructor sees the details"
    return check.model_copy(update={"message": says}) if internal else check


def hidden_points(result: Result) -> tuple[float, float]:
    """Points earned and possible in all checks of which only the verdict is shown."""
    secret = [c for c in result.checks if not (c.public or c.revealed)]
    return sum(c.points for c in secret), sum(c.max_points for c in secret)
