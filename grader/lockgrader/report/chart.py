"""Draw a curve and its band as an SVG element, in the page's light or dark colours.

No mark needs colour. The student's curve is a solid line with discs, the reference a dashed line
with squares, the band is hatched between thin lines. If the values span more than a factor of
three, both axes are logarithmic, so a straight line is a power law. Otherwise the vertical axis is
linear and starts at 0.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from lockgrader.result import Curve
from lockui.tables import fixed

__all__ = ["alt_text", "chart"]

WIDTH, HEIGHT = 640, 320
LEFT, RIGHT, TOP, BOTTOM = 72, 16, 14, 46
SPAN = 3.0
"""Largest over smallest value from which the vertical axis is logarithmic."""


@dataclass(frozen=True)
class _Axis:
    """Map values to positions along an axis."""

    low: float
    high: float
    start: float
    end: float
    logarithmic: bool

    def __call__(self, value: float) -> float:
        low, high = (self._of(v) for v in (self.low, self.high))
        share = (self._of(value) - low) / (high - low)
        return round(self.start + share * (self.end - self.start), 1)

    def _of(self, value: float) -> float:
        return math.log(value) if self.logarithmic else value


def chart(curve: Curve, name: str) -> dict[str, Any]:
    """The data for the template ``curve.html.j2``.

    Arguments:
        curve: with at least two numbers of CPUs. name: makes identifiers unique within a page.
    """
    drawn = (*curve.y, *curve.reference, *curve.low, *curve.high)
    logarithmic = min(drawn) > 0 and max(drawn) / min(drawn) > SPAN
    ticks = _powers(drawn) if logarithmic else _steps(max(drawn))
    x = _Axis(min(curve.x), max(curve.x), LEFT, WIDTH - RIGHT, True)
    y = _Axis(ticks[0], ticks[-1], HEIGHT - BOTTOM, TOP, logarithmic)
    return {
        "name": name,
        "curve": curve,
        "alt": alt_text(curve),
        "width": WIDTH,
        "height": HEIGHT,
        "frame": (LEFT, TOP, WIDTH - LEFT - RIGHT, HEIGHT - TOP - BOTTOM),
        "x_ticks": [(x(n), f"{n}") for n in curve.x],
        "y_ticks": [(y(t), f"{t:,.4g}") for t in ticks],
        "band": _band(curve, x, y),
        "edges": [_line(curve.x, e, x, y) for e in (curve.low, curve.high) if e],
        "own": _line(curve.x, curve.y, x, y),
        "own_points": [(x(n), y(v)) for n, v in zip(curve.x, curve.y, strict=True)],
        "reference": _line(curve.x, curve.reference, x, y),
        "reference_points": [
            (x(n), y(v)) for n, v in zip(curve.x, curve.reference, strict=False) if curve.reference
        ],
        "rows": _rows(curve),
    }


def alt_text(curve: Curve) -> str:
    """The alternative text of the plot."""
    unit = f" {curve.unit}" * bool(curve.unit)
    text = (
        f"{curve.what} of {curve.name}: {fixed(curve.y[0], None)}{unit} on {curve.x[0]} CPUs, "
        f"{fixed(curve.y[-1], None)}{unit} on {curve.x[-1]} CPUs"
    )
    if curve.reference:
        text += (
            f"; {curve.reference_name} goes from {fixed(curve.reference[0], None)} "
            f"to {fixed(curve.reference[-1], None)}"
        )
    ends = [
        f"{word} {fixed(edge[-1], None)}"
        for word, edge in (("at least", curve.low), ("at most", curve.high))
        if edge
    ]
    if ends:
        text += f"; right on {curve.x[-1]} CPUs is {' and '.join(ends)}"
    return text + "."


def _rows(curve: Curve) -> list[list[str]]:
    """The table: one row for each number of CPUs, without empty columns."""
    columns = [c for c in (curve.y, curve.reference, curve.low, curve.high) if c]
    return [[f"{n}", *(fixed(c[i], None) for c in columns)] for i, n in enumerate(curve.x)]


def _line(xs: Sequence[int], ys: Sequence[float], x: _Axis, y: _Axis) -> str:
    return " ".join(f"{x(n)},{y(v)}" for n, v in zip(xs, ys, strict=False))


def _band(curve: Curve, x: _Axis, y: _Axis) -> str:
    """The polygon of the band; an open side ends at the frame."""
    if not curve.low and not curve.high:
        return ""
    low = curve.low or (y.low,) * len(curve.x)
    high = curve.high or (y.high,) * len(curve.x)
    back = _line(curve.x[::-1], high[::-1], x, y)
    return f"{_line(curve.x, low, x, y)} {back}"


def _powers(values: Sequence[float]) -> list[float]:
    """Ticks 1, 2, 5, 10, … that enclose all values."""
    first = math.floor(math.log10(min(values)))
    last = math.ceil(math.log10(max(values))) + 1
    all_ticks = [m * 10.0**e for e in range(first, last) for m in (1, 2, 5)]
    start = max(i for i, t in enumerate(all_ticks) if t <= min(values))
    end = min(i for i, t in enumerate(all_ticks) if t >= max(values))
    return all_ticks[start : end + 1]


def _steps(most: float) -> list[float]:
    """About five ticks from 0 to beyond a value."""
    if most <= 0:
        return [0.0, 1.0]
    rough = most / 4
    size = 10.0 ** math.floor(math.log10(rough))
    step = next(m * size for m in (1, 2, 2.5, 5, 10) if m * size >= rough)
    return [i * step for i in range(math.ceil(most / step * 1.0001) + 1)]
