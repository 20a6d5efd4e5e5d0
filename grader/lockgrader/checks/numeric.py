"""Numeric answers and predictions."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable

from lockgrader.checks.simulated import reference
from lockgrader.checks.submitted import Submitted
from lockgrader.finding import Finding, found, row
from lockgrader.lab import Answer, Band, Check, Measure, Prediction
from lockgrader.result import Row

__all__ = ["answer", "expected", "interval_score", "missing", "prediction", "prepare"]

ALPHA = 0.1
"""A predicted interval should hold the result nine times in ten."""


def prepare(checks: Iterable[Check]) -> None:
    """Simulate the expected values of checks, once for all students with equal values.

    They depend on the lab only. A check's process is forked from this one and inherits them. If a
    value cannot be simulated, the check itself reports it.
    """
    for check in checks:
        if isinstance(check, Answer | Prediction) and isinstance(check.expected, Measure):
            with contextlib.suppress(Exception):
                reference(check.expected)


def answer(check: Answer, submitted: Submitted) -> Finding:
    """Judge a number that must be right within a tolerance."""
    given = submitted.answers.get(check.answer)
    if given is None:
        return missing(check.answer, submitted)
    if len(given) != 1:
        return Finding(
            "malformed_output", 0.0, f"'{check.answer}' must be one number, not {len(given)}"
        )
    right = expected(check.expected)
    slack = abs(right) * check.tolerance
    band = Band(low=right - slack, high=right + slack, fade=check.fade)
    return found([row(check.answer, given[0], band)])


def prediction(check: Prediction, submitted: Submitted) -> Finding:
    """Judge an interval by its width and by how far it misses the result."""
    given = submitted.answers.get(check.answer)
    if given is None:
        return missing(check.answer, submitted)
    if len(given) != 2 or not given[0] <= given[1]:
        message = f"'{check.answer}' must be two numbers: [low, high]"
        return Finding("malformed_output", 0.0, message)
    right = expected(check.expected)
    low, high = given
    score = interval_score(low, high, right) / abs(right) if right else math.inf
    share = max(0.0, 1.0 - score / check.worst)
    # A perfect score is an interval of width 0; a tenth of the worst score earns full marks.
    share = min(1.0, share / 0.9)
    inside = low <= right <= high
    says = "holds the result" if inside else "misses the result"
    low_text, high_text, right_text = map(_digits, (low, high, right))
    message = f"predicted {low_text} to {high_text}, measured {right_text}: the interval {says}"
    line = Row(
        what=f"{check.answer}: interval score over the result",
        got=score if math.isfinite(score) else None,
        high=check.worst / 10,
        says="right" if share == 1.0 else f"too wide or off, by {score - check.worst / 10:.3g}",
        share=share,
    )
    made = found([line], message)
    tag = "" if inside else "too-low" if high < right else "too-high"
    return Finding(made.verdict, made.share, message, made.rows, tag)


def missing(name: str, submitted: Submitted) -> Finding:
    """The finding of an answer that is not there, or that is not of the required form."""
    if name in submitted.wrong:
        return Finding("malformed_output", 0.0, submitted.wrong[name])
    return Finding("no_output", 0.0, f"there is no answer '{name}'", tag="missing")


def interval_score(low: float, high: float, x: float, alpha: float = ALPHA) -> float:
    """The interval score of Gneiting and Raftery (JASA 102(477), 2007, equation 43).

    Its expected value is smallest for the true quantiles.
    """
    return (high - low) + 2 / alpha * max(0.0, low - x) + 2 / alpha * max(0.0, x - high)


def expected(value: float | Measure) -> float:
    """The right value: the number itself, or the measure of the reference lock."""
    return reference(value) if isinstance(value, Measure) else value


def _digits(number: float) -> str:
    """A number with four digits, without a power of ten where people write none."""
    return f"{number:,.0f}" if 1000 <= abs(number) < 1e12 else f"{number:.4g}"
