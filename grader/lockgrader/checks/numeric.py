"""Numeric answers and predictions."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable

from lockgrader.checks.base import Finding, Submitted, found, row
from lockgrader.checks.simulated import reference
from lockgrader.lab import Answer, Band, Check, Measure, Prediction
from lockgrader.result import Row

__all__ = ["answer", "expected", "interval_score", "prediction", "prepare"]

ALPHA = 0.1
"""A predicted interval is to hold what turns out nine times in ten."""


def prepare(checks: Iterable[Check]) -> None:
    """Simulate what these checks expect, once for all students who expect the same.

    It depends on the lab alone. A check's process is forked from this one, and finds it there; what
    can not be simulated, the check itself will tell.
    """
    for check in checks:
        if isinstance(check, Answer | Prediction) and isinstance(check.expected, Measure):
            with contextlib.suppress(Exception):
                reference(check.expected)


def answer(check: Answer, submitted: Submitted) -> Finding:
    """A number, right within a tolerance."""
    given = submitted.answers.get(check.answer)
    if given is None:
        return Finding("no_output", 0.0, f"there is no answer '{check.answer}'", tag="missing")
    if len(given) != 1:
        return Finding("malformed_output", 0.0, f"'{check.answer}' is one number, not {len(given)}")
    right = expected(check.expected)
    slack = abs(right) * check.tolerance
    band = Band(low=right - slack, high=right + slack, fade=check.fade)
    return found([row(check.answer, given[0], band)])


def prediction(check: Prediction, submitted: Submitted) -> Finding:
    """An interval, scored against what turned out: narrow is good, and missing costs."""
    given = submitted.answers.get(check.answer)
    if given is None:
        return Finding("no_output", 0.0, f"there is no prediction '{check.answer}'", tag="missing")
    if len(given) != 2 or not given[0] <= given[1]:
        told = f"'{check.answer}' is two numbers, low and high"
        return Finding("malformed_output", 0.0, told)
    right = expected(check.expected)
    low, high = given
    score = interval_score(low, high, right) / abs(right) if right else math.inf
    share = max(0.0, 1.0 - score / check.worst)
    # A perfect score is a point of no width; an interval of a tenth of the worst is full marks.
    share = min(1.0, share / 0.9)
    inside = low <= right <= high
    says = "holds what turned out" if inside else "misses what turned out"
    low_told, high_told, right_told = map(_told, (low, high, right))
    message = (
        f"predicted {low_told} to {high_told}, and {right_told} turned out: the interval {says}"
    )
    line = Row(
        what=f"{check.answer}: interval score over what turned out",
        got=score if math.isfinite(score) else None,
        high=check.worst / 10,
        says="right" if share == 1.0 else f"too wide or off, by {score - check.worst / 10:.3g}",
        share=share,
    )
    made = found([line], message)
    tag = "" if inside else "too-low" if high < right else "too-high"
    return Finding(made.verdict, made.share, message, made.rows, tag)


def interval_score(low: float, high: float, x: float, alpha: float = ALPHA) -> float:
    """The interval score of Gneiting and Raftery (JASA 102(477), 2007, equation 43).

    Its mean is least for who says the true quantiles: neither bragging nor hedging pays.
    """
    return (high - low) + 2 / alpha * max(0.0, low - x) + 2 / alpha * max(0.0, x - high)


def expected(value: float | Measure) -> float:
    """What is right: the number itself, or what the reference measures."""
    return reference(value) if isinstance(value, Measure) else value


def _told(number: float) -> str:
    """Four digits, and no power of ten where people would not write one."""
    return f"{number:,.0f}" if 1000 <= abs(number) < 1e12 else f"{number:.4g}"
