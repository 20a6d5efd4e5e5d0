"""Places of labels on a line: none overlaps another, each as near to its wish as possible."""

from __future__ import annotations

import itertools
from collections.abc import Sequence


def spread(wanted: Sequence[float], sizes: Sequence[float], low: float, high: float) -> list[float]:
    """Return the centres of labels between two ends, such that no two overlap.

    The sum of the squared moves is the smallest possible. Where the labels do not fit between the
    ends, they go beyond the lower one.

    Arguments:
        wanted: the centre that each label would like. sizes: of the labels, in the same unit.
        low, high: the ends.
    """
    from scipy.optimize import isotonic_regression

    if not wanted:
        return []
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    half = [sizes[i] / 2 for i in order]
    # Minus the sizes of those below, centres may be equal but must not fall.
    below = [*itertools.accumulate((a + b for a, b in itertools.pairwise(half)), initial=0.0)]
    found = isotonic_regression([wanted[i] - b for i, b in zip(order, below, strict=True)]).x
    top = high - half[-1] - below[-1]
    bounded = [min(max(value, low + half[0]), top) for value in found]
    centres = dict(zip(order, map(sum, zip(bounded, below, strict=True)), strict=True))
    return [float(centres[i]) for i in range(len(wanted))]
