"""The row of a measurement, with value and aim, and functions for timing."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, Protocol


@dataclass(frozen=True)
class Row:
    """One measured value.

    Arguments:
        group: the question that it answers.
        what: the measured quantity.
        against: the reference of a ratio, "" for an absolute value.
        value: the median over the repetitions. low, high: their quartiles.
        unit: "x" for a ratio.
        aim: the bound, None for a value without an aim.
        sense: whether the value should be at least or at most the aim.
        detail: further numbers behind the value.
    """

    group: str
    what: str
    against: str
    value: float
    low: float
    high: float
    unit: str
    aim: float | None = None
    sense: Literal[">=", "<="] = "<="
    detail: dict[str, float] = field(default_factory=dict)

    @property
    def met(self) -> bool | None:
        """Whether the median meets the aim; None without an aim."""
        if self.aim is None:
            return None
        return self.value >= self.aim if self.sense == ">=" else self.value <= self.aim


class Run(Protocol):
    """A simulation that can be continued: the fast engine's session, or the C model."""

    def advance(self, until_ps: int) -> None:
        """Process all events before ``until_ps``."""


def cpu_seconds(call: Callable[[], object]) -> float:
    """Processor seconds of one call in this thread."""
    began = time.thread_time()
    call()
    return time.thread_time() - began


def spread(values: list[float]) -> tuple[float, float, float]:
    """Median and quartiles."""
    if len(values) < 2:
        return values[0], values[0], values[0]
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return middle, low, high
