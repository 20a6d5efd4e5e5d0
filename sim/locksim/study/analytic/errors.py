"""Errors of the analytic models, and the checks of their inputs."""

from __future__ import annotations

import math

MAX_CPUS = 100_000
"""Largest number of CPUs; more are probably a typing error."""


class AnalyticError(ValueError):
    """A model cannot be evaluated with these inputs; the message says why."""

    exit_code = 2


def check_cpus(cpus: int) -> None:
    """Check a number of CPUs.

    Raises:
        AnalyticError: it is not between 1 and 100,000.
    """
    if not 1 <= cpus <= MAX_CPUS:
        raise AnalyticError(f"the number of CPUs must be between 1 and {MAX_CPUS:,} (got {cpus})")


def check_times(*, positive: str = "", **times_ns: float) -> None:
    """Check that times are numbers, not negative, and above 0 where that is needed.

    Arguments:
        positive: name of the time that must be above 0, if any.
        times_ns: name → nanoseconds.

    Raises:
        AnalyticError: with the name and the value.
    """
    for name, value in times_ns.items():
        if not math.isfinite(value) or value < 0 or (name == positive and value == 0):
            least = "above 0" if name == positive else "from 0"
            raise AnalyticError(f"{name} = {value}: give a time {least}, in nanoseconds")
