"""Numeric answers and predictions."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from lockgrader.checks.simulated import NotCountedError, own_measure, reference
from lockgrader.checks.submitted import Submitted, without
from lockgrader.finding import Finding, found, row, veiled
from lockgrader.lab import Answer, Band, Check, Expected, Measure, Prediction
from lockgrader.lab.chatroom import ChatroomRun
from lockgrader.lab.expected import Cell, Formula
from lockgrader.lab.profiles import Profile
from lockgrader.lab.trials import Reading
from lockgrader.read.record import RECORD
from lockgrader.result import Row

__all__ = [
    "SCORED",
    "answer",
    "expected",
    "interval_score",
    "load_of",
    "missing",
    "prediction",
    "prepare",
]

ALPHA = 0.1
"""A predicted interval should hold the result nine times in ten."""
SCORED = "{}: width and 20 times the miss, over the result"
"""The interval score in words, with the factor 2 / ALPHA; for the name of an answer."""


def prepare(checks: Iterable[Check]) -> None:
    """Simulate the expected values of checks, once for all students with equal values.

    They depend on the lab only; what is measured on the student's own lock waits for its check. A
    check's process is forked from this one and inherits them. If a value cannot be simulated, the
    check itself reports it.
    """
    for check in checks:
        if isinstance(check, Answer | Prediction) and isinstance(check.expected, Measure):
            with contextlib.suppress(Exception):
                if not check.expected.own:
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
    right = _right(check.expected, submitted)
    if isinstance(right, Finding):
        return right
    slack = abs(right) * check.tolerance
    band = Band(low=right - slack, high=right + slack, fade=check.fade)
    made = veiled(found([row(check.answer, given[0], band)]))
    if made.verdict == "pass" or not isinstance(check.expected, Measure):
        return made
    return replace(made, message=f"{made.message}; {load_of(check.expected)}")


def prediction(check: Prediction, submitted: Submitted) -> Finding:
    """Judge an interval by its width and by how far it misses the result.

    The locked one counts. What was never locked may have been written after the result was known.
    """
    given = submitted.answers.get(check.answer)
    locked = submitted.locked.get(check.answer)
    if given is None:
        return missing(check.answer, submitted)
    low, high = _interval(given)
    changed = ""
    if locked is not None and [*locked.values] != given:
        changed = (
            f"locked {_shown(locked.values)} on {locked.at:%Y-%m-%d %H:%M}, now {_shown(given)}"
        )
        low, high = _interval([*locked.values])
    if math.isnan(low):
        message = f"'{check.answer}' must be two numbers: [low, high]"
        return Finding("malformed_output", 0.0, message)
    right = _right(check.expected, submitted)
    if isinstance(right, Finding):
        return right
    score = interval_score(low, high, right) / abs(right) if right else math.inf
    # A perfect score is an interval of width 0; a tenth of the worst score earns full marks.
    accuracy = min(1.0, max(0.0, 1.0 - score / check.worst) / 0.9)
    share = check.made + (1.0 - check.made) * (accuracy if locked is not None else 0.0)
    inside = low <= right <= high
    line = Row(
        what=SCORED.format(check.answer),
        got=score if math.isfinite(score) else None,
        high=check.worst / 10,
        says="right" if accuracy == 1.0 else "a narrower one earns more" if inside else "off",
        share=accuracy,
    )
    says = "holds the result" if inside else "misses the result"
    if inside and accuracy < 1.0:
        says = f"{says}, and a narrower one would earn more"
    elif not inside:
        says = f"{says}; {check.made:.0%} of the points are for having predicted"
    message = f"predicted {_shown((low, high))}, measured {_digits(right)}: the interval {says}"
    if changed:
        message = f"{message}; the first one counts ({changed})"
    if locked is None:
        message = f"{message}; no {RECORD} shows that it was made before the first measurement"
    return Finding(
        "pass" if share == 1.0 else "partial" if share else "fail",
        share,
        message,
        (line,),
        "" if inside else "too-low" if high < right else "too-high",
        changed=changed,
    )


def load_of(measure: Measure) -> str:
    """The measurement in words, with its load, as a student can repeat it."""
    whose = "your own" if measure.own else "the library's"
    load = f"{measure.workload}, {measure.settings}" if measure.settings else measure.workload
    if measure.workload == "critical_section":
        times = f"hold {measure.hold_ns} ns, think {measure.think_ns} ns"
        load = f"{times}, {measure.words} shared word{'s' * (measure.words != 1)}"
    where = f"{measure.cpus} CPUs of {measure.machine}"
    return f"measured with {whose} {measure.lock} on {where} ({load})"


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


def expected(value: Expected, submitted: Submitted) -> float:
    """The right value: the number itself, or the measure of a lock.

    Raises:
        NotCountedError: the student's own lock gave a simulation that does not count.
        SimulationError: it has a fault.
    """
    if isinstance(value, Cell | Formula | ChatroomRun | Reading | Profile):
        return value.number()
    if not isinstance(value, Measure):
        return value
    return own_measure(value, submitted) if value.own else reference(value)


def _right(value: Expected, submitted: Submitted) -> float | Finding:
    """The right value, or why the student's own lock gives none."""
    if isinstance(value, Measure) and value.own and value.lock not in submitted.codes:
        return without(value.lock, submitted)
    try:
        return expected(value, submitted)
    except NotCountedError as error:
        return Finding("fail", 0.0, str(error), tag="exclusion")


def _interval(given: Sequence[float]) -> tuple[float, float]:
    """The ends of an interval; NaN where it is none."""
    whole = len(given) == 2 and given[0] <= given[1]
    return (given[0], given[1]) if whole else (math.nan, math.nan)


def _shown(ends: Sequence[float]) -> str:
    return " to ".join(map(_digits, ends))


def _digits(number: float) -> str:
    """A number with four digits, without a power of ten where people write none."""
    return f"{number:,.0f}" if 1000 <= abs(number) < 1e12 else f"{number:.4g}"
