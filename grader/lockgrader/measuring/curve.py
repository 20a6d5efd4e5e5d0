"""Values over numbers of CPUs beside what is right: rows of a table, and a curve with its band.

A *value* has the same bounds at every number of CPUs. A *ratio* and an *ordering* take the other
lock's curve as reference. A *slope* allows a fan: two straight lines in logarithms from the first
point, with the smallest and the largest right slope. (The check uses the slope of a line through
all points, so a curve inside the fan may bend.) A *plateau* allows a factor above its lowest point.
"""

from __future__ import annotations

import math
import statistics
from typing import Annotated, Literal

from pydantic import Field

from lockgrader.finding import row
from lockgrader.lab import Band, Measured
from lockgrader.result import Curve, Row

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


class Compared(Measured):
    """A measure on several numbers of CPUs, and which values or which shape of its curve is right.

    Arguments:
        cpus: numbers of CPUs.
        shape: "value" (each point), "slope" (of the logarithms, over all points), "plateau"
            (largest over smallest), "ratio" (over that of ``against``, each point), "ordering"
            (``lock`` below ``against`` at each point; the band is not used).
        against: a lock of the library; one of the student's own could be slowed to win.
        band: the right values.
    """

    cpus: Annotated[tuple[Annotated[int, Field(ge=1, le=1024)], ...], Field(min_length=1)]
    shape: Literal["value", "slope", "plateau", "ratio", "ordering"] = "value"
    against: Annotated[str, Field(pattern=r"^([a-z]\w*)?$")] = ""
    band: Band = Band()


def rows_of(asked: Compared, values: list[float], other: list[float]) -> list[Row]:
    """The rows of a table; the arguments are those of :func:`curve_of`."""
    unit = UNITS[asked.measure]
    match asked.shape:
        case "value":
            return [
                row(f"{asked.measure} on {n} CPUs{f' ({unit})' * bool(unit)}", v, asked.band)
                for n, v in zip(asked.cpus, values, strict=True)
            ]
        case "slope":
            what = (
                f"slope of log {asked.measure} over log CPUs, {asked.cpus[0]} to {asked.cpus[-1]}"
            )
            return [row(what, _slope(asked.cpus, values), asked.band)]
        case "plateau":
            what = (
                f"largest over smallest {asked.measure}, {asked.cpus[0]} to {asked.cpus[-1]} CPUs"
            )
            return [row(what, max(values) / min(values) if min(values) else math.inf, asked.band)]
        case "ratio":
            return [
                row(f"{asked.measure} over {asked.against}'s on {n} CPUs", _over(v, o), asked.band)
                for n, v, o in zip(asked.cpus, values, other, strict=True)
            ]
        case "ordering":
            return [
                row(
                    f"{asked.measure} on {n} CPUs, below {asked.against}'s {o:,.1f}",
                    v,
                    Band(high=math.nextafter(o, -math.inf), fade=asked.band.fade),
                )
                for n, v, o in zip(asked.cpus, values, other, strict=True)
            ]
    raise AssertionError(asked.shape)  # the schema knows no other


def curve_of(asked: Compared, values: list[float], other: list[float]) -> Curve | None:
    """The curve; None where it has one point or a value that is not finite.

    Arguments:
        asked: what is right. values: the submission's, one for each number of CPUs.
        other: the values of ``against``, or empty.
    """
    if len(asked.cpus) < 2 or not all(map(math.isfinite, values + other)):
        return None
    low, high = _bounds(asked, values, other)
    unit = "critical section" if asked.workload == "critical_section" else "unit of work"
    return Curve(
        what=_WORDS[asked.measure].format(unit),
        unit=UNITS[asked.measure],
        name=asked.lock,
        x=asked.cpus,
        y=tuple(values),
        low=low,
        high=high,
        reference=tuple(other),
        reference_name=asked.against,
    )


def _bounds(
    asked: Compared, values: list[float], other: list[float]
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The band's lower and upper end at each number of CPUs; empty for an open side."""
    band = asked.band
    match asked.shape:
        case "value":
            return _each(band, [1.0] * len(values))
        case "ratio":
            return _each(band, other)
        case "ordering":
            return (), tuple(other)
        case "plateau":
            return (), () if band.high is None else tuple(min(values) * band.high for _ in values)
        case "slope":
            grown = [n / asked.cpus[0] for n in asked.cpus]
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


def _slope(cpus: tuple[int, ...], values: list[float]) -> float:
    """Slope of a straight line through the logarithms (least squares)."""
    if len(cpus) < 2 or min(values) <= 0:
        return math.nan
    line = statistics.linear_regression([math.log(n) for n in cpus], [math.log(v) for v in values])
    return line.slope


def _over(value: float, other: float) -> float:
    return value / other if other else math.nan
