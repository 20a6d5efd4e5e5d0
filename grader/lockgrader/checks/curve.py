"""A measured curve beside its allowed band, for plots and tables.

A *value* has the same bounds at every number of CPUs. A *ratio* and an *ordering* take the other
lock's curve as reference. A *slope* allows a fan: two straight lines in logarithms from the first
point, with the smallest and the largest right slope. (The check uses the slope of a line through
all points, so a curve inside the fan may bend.) A *plateau* allows a factor above its lowest point.
"""

from __future__ import annotations

import math

from lockgrader.lab import Band, Simulated
from lockgrader.result import Curve

__all__ = ["UNITS", "curve_of"]

UNITS = {
    "transfers": "line transfers",
    "time_ns": "ns",
    "throughput": "1/s",
    "fairness": "",
    "slowest": "1/s",
    "growth": "objects",
    "util": "",
    "con": "",
    "hold_ns": "ns",
    "wait_ns": "ns",
    "wait_max_ns": "ns",
    "cpu_share": "",
    "readers": "readers",
}
_WORDS = {
    "transfers": "line transfers per {}",
    "time_ns": "time per {}",
    "throughput": "{}s per second",
    "fairness": "fairness (slowest over fastest CPU)",
    "slowest": "{}s per second on the slowest CPU",
    "growth": "objects that are not freed, per {}",
    "util": "UTIL, the share of time that the lock is held",
    "con": "CON, the share of acquisitions that had to wait",
    "hold_ns": "HOLD, mean",
    "wait_ns": "WAIT, mean of those that waited",
    "wait_max_ns": "WAIT, longest",
    "cpu_share": "share of all CPUs' time spent waiting",
    "readers": "most readers at once",
}


def curve_of(check: Simulated, values: list[float], other: list[float]) -> Curve | None:
    """The curve of a check; None where it has one point or a value that is not finite.

    Arguments:
        check: the check. values: the submission's, one for each number of CPUs.
        other: the values of ``against``, or empty.
    """
    if len(check.cpus) < 2 or not all(map(math.isfinite, values + other)):
        return None
    low, high = _bounds(check, values, other)
    unit = "critical section" if check.workload == "critical_section" else "unit of work"
    return Curve(
        what=_WORDS[check.measure].format(unit),
        unit=UNITS[check.measure],
        name=check.lock,
        x=check.cpus,
        y=tuple(values),
        low=low,
        high=high,
        reference=tuple(other),
        reference_name=check.against,
    )


def _bounds(
    check: Simulated, values: list[float], other: list[float]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The band's lower and upper end at each number of CPUs; empty for an open side."""
    band = check.band
    match check.shape:
        case "value":
            return _each(band, [1.0] * len(values))
        case "ratio":
            return _each(band, other)
        case "ordering":
            return (), tuple(other)
        case "plateau":
            return (), () if band.high is None else tuple(min(values) * band.high for _ in values)
        case "slope":
            grown = [n / check.cpus[0] for n in check.cpus]
            fan = [
                () if slope is None else tuple(values[0] * g**slope for g in grown)
                for slope in (band.low, band.high)
            ]
            return fan[0], fan[1]


def _each(band: Band, of: list[float]) -> tuple[tuple[float, ...], tuple[float, ...]]:
    low, high = (
        () if end is None else tuple(end * one for one in of) for end in (band.low, band.high)
    )
    return low, high
