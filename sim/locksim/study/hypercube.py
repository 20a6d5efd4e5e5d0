"""Points of a Latin hypercube: few of them, spread over the whole range of every factor.

Each of n equal slices of each factor's range holds exactly one of the n points, at a random place
in it (McKay, Beckman and Conover, Technometrics 21(2), 1979).
"""

from __future__ import annotations

import numpy as np


def latin_hypercube(factors: int, n: int, seed: int) -> list[list[float]]:
    """The points, each with a share of every factor's range, from 0 to below 1.

    Arguments:
        factors: how many. n: points. seed: of the random placement.
    """
    (random,) = np.random.default_rng(seed).spawn(1)  # as SciPy does
    places = random.uniform(size=(n, factors))  # each in its slice, from the slice's upper end
    slices = np.tile(np.arange(1, n + 1), (factors, 1))
    for row in slices:
        random.shuffle(row)
    points: list[list[float]] = ((slices.T - places) / n).tolist()
    return points
