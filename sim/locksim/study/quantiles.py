"""The quantile of Student's t behind every 95 % interval.

Importing ``scipy.stats`` for this one number takes a second, and SciPy is as large as the rest of
what a simulation needs.
"""

from __future__ import annotations

import math
from functools import cache

__all__ = ["student_t"]

COVERED = 0.95


@cache
def student_t(freedom: int) -> float:
    """Return the half width of the central 95 % of Student's t distribution.

    The distribution function is a finite sum for whole degrees of freedom (Abramowitz and Stegun,
    Handbook of Mathematical Functions, 1964, 26.7.3 and 26.7.4). It is inverted by bisection.

    Arguments:
        freedom: degrees of freedom, at least 1.

    Raises:
        ValueError: fewer.
    """
    if freedom < 1:
        raise ValueError(f"degrees of freedom must be at least 1 (got {freedom})")
    low, high = 0.0, math.pi / 2
    while low < (middle := (low + high) / 2) < high:
        low, high = (middle, high) if _within(middle, freedom) < COVERED else (low, middle)
    return math.sqrt(freedom) * math.tan(low)


def _within(angle: float, freedom: int) -> float:
    """The probability of at most sqrt(freedom) tan(angle) in size."""
    odd = freedom % 2
    cosine = math.cos(angle)
    term, terms = (cosine if odd else 1.0), 0.0
    for k in range(2 + odd, freedom + 1, 2):
        terms += term
        term *= cosine * cosine * (k - 1) / k
    series = math.sin(angle) * terms
    return 2 / math.pi * (angle + series) if odd else series
