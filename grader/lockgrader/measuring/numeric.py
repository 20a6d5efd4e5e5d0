"""Right numbers: what a lab expects of an answer, and how a predicted interval is scored."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING

from lockgrader.check import Check
from lockgrader.lab import Expected, Measure
from lockgrader.lab.closed import Text

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted

__all__ = ["SCORED", "ExpectedCheck", "expected", "interval_score", "load_of"]

ALPHA = 0.1
"""A predicted interval should hold the result nine times in ten."""
SCORED = "{}: interval score over the result (small is good)"
"""The interval score in words, with the factor 2 / ALPHA; for the name of an answer."""


class ExpectedCheck(Check):
    """The base of the kinds in which an answer is compared with an expected number."""

    answer: Text
    expected: Expected

    @property
    def asks(self) -> tuple[str, ...]:
        """The answer."""
        return (self.answer,)

    @property
    def measured_classes(self) -> tuple[str, ...]:
        """The student's own lock, where the right number is measured on it."""
        own = isinstance(self.expected, Measure) and self.expected.own
        return (self.expected.lock,) if isinstance(self.expected, Measure) and own else ()

    @property
    def engines(self) -> bool:
        """Only where it measures the student's own lock: other values are prepared."""
        return bool(self.measured_classes)

    def prepare(self) -> None:
        """Find the right number, once for all checks and students with equal values.

        A check's process is forked from this one and inherits what was simulated. If it cannot be
        simulated, the check itself reports it.
        """
        from lockgrader.submitted import Submitted

        if not self.measured_classes:
            with contextlib.suppress(Exception):
                expected(self.expected, Submitted())

    def right(self, solution: Submitted) -> Mapping[str, float | list[float]]:
        """The expected value."""
        return {self.answer: expected(self.expected, solution)}


def expected(value: Expected, submitted: Submitted) -> float:
    """The right value: the number itself, or the measure of a lock.

    Raises:
        Settled: the student's own lock is missing, or gave a run that does not count.
    """
    if isinstance(value, Measure):
        from lockgrader.measuring.runs import own_measure, reference

        return own_measure(value, submitted) if value.own else reference(value)
    return value if isinstance(value, int | float) else value.number()


def load_of(measure: Measure) -> str:
    """The measurement in words, with its load, as a student can repeat it."""
    settings = (f"{name} {value}" for name, value in measure.settings.items())
    load = ", ".join([measure.workload, *settings])
    if measure.workload == "critical_section":
        times = f"hold {measure.hold_ns} ns, think {measure.think_ns} ns"
        load = f"{times}, {measure.words} shared word{'s' * (measure.words != 1)}"
    where = f"{measure.cpus} CPUs of {_machine(measure.machine)}"
    return f"measured with {lock_of(measure)} on {where} ({load})"


def _machine(name: str) -> str:
    """A machine by its name: a profile's file is named by its stem, or by its data set."""
    path = PurePath(name)
    if path.suffix != ".toml":
        return name
    return path.parent.name if path.stem == "machine" else path.stem


def lock_of(measure: Measure) -> str:
    """The lock that is measured, and whose it is."""
    whose = "your own" if measure.own else "the library's"
    return f"{whose} {measure.lock}"


def interval_score(low: float, high: float, x: float, alpha: float = ALPHA) -> float:
    """The interval score of Gneiting and Raftery (JASA 102(477), 2007, equation 43).

    Its expected value is smallest for the true quantiles.
    """
    return (high - low) + 2 / alpha * max(0.0, low - x) + 2 / alpha * max(0.0, x - high)
