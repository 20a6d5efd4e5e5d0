"""What a student may see of a result.

A hidden check stays hidden after grading: its name and its verdict are told, and nothing by which
the check could be guessed: no title, no message, no numbers of its own. A lab says ``revealed =
true`` at a check that is to be explained. The points of hidden checks are told as one sum, for the
total is.
"""

from __future__ import annotations

from lockgrader.result import CheckResult, Result, Verdict

__all__ = ["HIDDEN", "WORDS", "hidden_points", "seen"]

HIDDEN = "a hidden check: only its verdict is shown"
WORDS: dict[Verdict, str] = {
    "pass": "passed",
    "partial": "partly right",
    "fail": "not right yet",
    "student_error": "your file has an error",
    "timeout_cpu": "used too much processor time",
    "timeout_wall": "did not end in time",
    "out_of_memory": "used too much memory",
    "output_limit": "wrote too much",
    "forbidden_operation": "did what is not allowed",
    "no_output": "missing",
    "malformed_output": "not in the form that was asked for",
    "ungradable": "could not be read; no attempt is lost",
    "skipped": "waits for another check",
    "grader_error": "not graded: our fault, and it costs nothing",
}
"""Each verdict in words for its student."""


def seen(check: CheckResult) -> CheckResult:
    """A check as its student sees it."""
    if check.public or check.revealed:
        return check.model_copy(update={"elsewhere": ()})
    return CheckResult(
        name=check.name,
        title=check.name,
        public=False,
        verdict=check.verdict,
        points=0.0,
        max_points=0.0,
        message=HIDDEN,
    )


def hidden_points(result: Result) -> tuple[float, float]:
    """Points earned and possible in all checks of which only the verdict is told."""
    secret = [c for c in result.checks if not (c.public or c.revealed)]
    return sum(c.points for c in secret), sum(c.max_points for c in secret)
