"""Inputs that make no sense to a model."""

from __future__ import annotations

import math

MAX_CPUS = 100_000
"""More CPUs than that are a slip of the pen."""


class AnalyticError(ValueError):
    """A model can not be evaluated with these inputs; the message says why."""

    exit_code = 2


def check_cpus(cpus: int) -> None:
    """Refuse a number of CPUs that is none.

    Raises:
        AnalyticError: it is not from 1 to 100,000.
    """
    if not 1 <= cpus <= MAX_CPUS:
        raise AnalyticError(f"{cpus} CPUs: give a number from 1 to {MAX_CPUS:,}")


def check_times(*, positive: str = "", **times_ns: float) -> None:
    """Refuse times that are negative or no numbers, and a zero where there must be time.

    Arguments:
        positive: name of the one that has to be above 0, if any.
        times_ns: name → nanoseconds.

    Raises:
        AnalyticError: with the name and the value.
    """
    for name, value in times_ns.items():
        if not math.isfinite(value) or value < 0 or (name == positive and value == 0):
            least = "above 0" if name == positive else "from 0"
            raise AnalyticError(f"{name} = {value}: give a time {least}, in nanoseconds")
