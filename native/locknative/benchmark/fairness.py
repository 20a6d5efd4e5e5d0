"""How evenly threads share a lock: three measures over each thread's count of acquisitions."""

from __future__ import annotations

from collections.abc import Sequence
from math import sqrt


def jain(counts: Sequence[int]) -> float:
    """Return Jain's index: 1 when all counts are equal, 1/n when one of n threads gets all.

    Source: Jain, Chiu and Hawe, DEC-TR-301, 1984.
    """
    squares = sum(count * count for count in counts)
    return sum(counts) ** 2 / (len(counts) * squares) if squares else 1.0


def deviation(counts: Sequence[int]) -> float:
    """Return the coefficient of variation: 0 is perfectly fair, sqrt(n - 1) worst."""
    mean = sum(counts) / len(counts)
    if not mean:
        return 0.0
    return sqrt(sum((count - mean) ** 2 for count in counts) / len(counts)) / mean


def slowest_over_fastest(counts: Sequence[int]) -> float:
    """Return the least count over the greatest: 1 is fair, 0 starves a thread."""
    return min(counts) / max(counts) if max(counts) else 1.0
