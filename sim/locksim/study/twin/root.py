"""A root of noisy functions: Broyden's method, damped as by Levenberg, between bounds.

A simulated column is known to a per cent or so. A derivative by small steps would be noise, so the
steps are tenths. The matrix of derivatives is made once and corrected by every later step (Broyden,
Mathematics of Computation 19(92), 1965), and made again where that leads nowhere. A direction in
which no column changes is left as it is, because each step is damped (Levenberg, Quarterly of
Applied Mathematics 2(2), 1944): what the columns do not tell stays at its start.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Root", "find_root"]

Vector = npt.NDArray[np.float64]
STEP = 0.1
"""Of a difference, in a knob's unit."""
LONGEST = 1.0
"""Of one step: a factor of e in a knob that is a logarithm."""
LEAST_DAMPING = 1e-3
PATIENCE = 2
"""Steps that lead nowhere before the derivatives are made again."""


@dataclass(frozen=True)
class Root:
    """Where the search ended.

    Arguments:
        at: the knobs. residuals: what is left there. slopes: derivatives of the residuals by the
            knobs, for another search near by. runs: evaluations.
    """

    at: Vector
    residuals: Vector
    slopes: Vector
    runs: int


def find_root(
    function: Callable[[Vector], Vector],
    start: Sequence[float],
    low: Sequence[float],
    high: Sequence[float],
    *,
    tolerance: float,
    most: int,
    slopes: Vector | None = None,
) -> Root:
    """Look for a point where all residuals vanish; the best one found, if there is none.

    Arguments:
        function: the residuals at a point; at least as many as knobs.
        start, low, high: of the knobs. tolerance: of the largest residual.
        most: evaluations. slopes: of an earlier search near by.
    """
    bottom, top = np.asarray(low, float), np.asarray(high, float)
    at = np.clip(np.asarray(start, float), bottom, top)
    left = function(at)
    runs, failed, fresh = 1, 0, slopes is None
    if slopes is None:
        slopes = _slopes(function, at, left, top)
        runs += len(at)
    damping = LEAST_DAMPING
    while runs < most and np.abs(left).max() > tolerance:
        there = np.clip(at + _step(slopes, left, at, bottom, top, damping), bottom, top)
        moved = there - at
        if not moved.any():
            break
        new = function(there)
        runs += 1
        slopes = slopes + np.outer(new - left - slopes @ moved, moved) / (moved @ moved)
        if np.linalg.norm(new) < np.linalg.norm(left):
            at, left, failed, fresh = there, new, 0, False
            damping = max(damping / 4, LEAST_DAMPING)
            continue
        failed, damping = failed + 1, damping * 8
        if failed >= PATIENCE * (1 + fresh):
            if fresh:
                break  # no step leads nearer, by derivatives made here
            slopes, fresh, failed, damping = _slopes(function, at, left, top), True, 0, 1e-2
            runs += len(at)
    return Root(at, left, slopes, runs)


def _slopes(function: Callable[[Vector], Vector], at: Vector, left: Vector, high: Vector) -> Vector:
    """The derivatives at a point, by differences."""
    columns = []
    for k in range(len(at)):
        moved = at.copy()
        moved[k] += STEP if at[k] + STEP <= high[k] else -STEP
        columns.append((function(moved) - left) / (moved[k] - at[k]))
    return np.stack(columns, axis=1)


def _step(
    slopes: Vector, left: Vector, at: Vector, low: Vector, high: Vector, damping: float
) -> Vector:
    """A damped step; a knob at its bound that would leave it does not move."""
    free = np.ones(len(at), bool)
    step = np.zeros(len(at))
    for _ in at:
        used = slopes[:, free]
        square = used.T @ used
        lifted = square + damping * max(1.0, float(np.diag(square).max())) * np.eye(len(square))
        step[:] = 0
        step[free] = np.linalg.solve(lifted, -used.T @ left)
        stuck = free & (((at <= low) & (step < 0)) | ((at >= high) & (step > 0)))
        if not stuck.any():
            break
        free &= ~stuck
        if not free.any():
            return np.zeros(len(at))
    longest = np.abs(step).max()
    return step * (LONGEST / longest) if longest > LONGEST else step
