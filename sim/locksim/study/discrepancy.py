"""How wrong the simulator is on one machine, learned from a few points that were measured there.

A simulated time and a measured one differ by a factor. Its logarithm is the *discrepancy*. It is
alike at similar numbers of CPUs, and to a part for two locks of one machine. So a few measured
points say something about all others: a Gaussian process, as in Kennedy and O'Hagan, Bayesian
calibration of computer models, Journal of the Royal Statistical Society B 63(3), 2001::

    Cov(d(lock, n), d(lock', n')) = (level² + shape² exp(-|ln n - ln n'| / length)) · share

*level* is common to all numbers of CPUs, *shape* is forgotten with their distance. Beyond the
measured numbers of CPUs the slope of a few points misleads, since other things cost there. So there
each point is a measurement of one level with a *scatter* of its own: the mean of the points is
carried on, drawn towards a factor of 1 the more the fewer they are::

    Cov(d(lock, n), d(lock', n')) = far_level² · share, and scatter² more for a point with itself

``discrepancy.toml`` holds the values: they have the highest likelihood on the published curves
(``make fits``; docs/explain/uncertainty.md). There the discrepancy contains everything that a
profile does not know, so bands that are made with it need no draws of costs. *share* is 1 for one
lock. Two locks share what is not ``apart`` in the error of the model
(:mod:`locksim.study.model_error`): the ratio of two locks has ``2 apart²`` times the variance of
one, so *share* is ``1 - apart²``.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from locksim.study import model_error

__all__ = ["TABLE", "Discrepancy", "Forecast", "Place", "learned"]

TABLE = Path(__file__).with_name("discrepancy.toml")
NOISE = 0.03
"""Standard deviation of a measured time, in logarithms, where none is stated or a smaller one."""
HALF_80 = 1.2816
"""An 80 % interval is so many standard deviations wide, to each side."""
_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a discrepancy is: a lock's name and a number of CPUs."""

    lock: str
    cpus: int


@dataclass(frozen=True, slots=True)
class Forecast:
    """Discrepancies that are expected: means and standard deviations, one for each place."""

    mean: _Floats
    spread: _Floats

    def factors(self) -> list[tuple[float, float, float]]:
        """The factor of each time: expected, and the ends of its 80 % band."""
        half = HALF_80 * self.spread
        ends = np.exp([self.mean, self.mean - half, self.mean + half])
        return [(float(m), float(low), float(high)) for m, low, high in ends.T]


@dataclass(frozen=True)
class Discrepancy:
    """The process; its values are standard deviations of logarithms.

    Arguments:
        level: common to all numbers of CPUs. shape: forgotten with their distance.
        length: the distance, in ln n, over which it is forgotten.
        far_level, scatter: of predictions beyond the measured numbers of CPUs.
    """

    level: float
    shape: float
    length: float
    far_level: float
    scatter: float

    def covariance(
        self, one: Sequence[Place], other: Sequence[Place], *, beyond: bool = False
    ) -> _Floats:
        """The covariances of places: float64[len(one), len(other)].

        Arguments:
            one, other: the places. beyond: for predictions beyond the measured ones.
        """
        a, b = (np.log([place.cpus for place in places]) for places in (one, other))
        distance = np.abs(np.subtract.outer(a, b))
        alike = np.array([[p.lock == q.lock for q in other] for p in one], bool)
        apart = model_error.learned().apart
        share = np.where(alike, 1.0, 1 - apart**2)
        if beyond:
            same = np.array([[p == q for q in other] for p in one], bool)
            return np.asarray(self.far_level**2 * share + self.scatter**2 * same, np.float64)
        own = self.level**2 + self.shape**2 * np.exp(-distance / self.length)
        return np.asarray(own * share, np.float64)

    def forecast(
        self, at: Sequence[Place], found: _Floats, noise: _Floats, to: Sequence[Place]
    ) -> Forecast:
        """What discrepancies at some places say about those at others.

        Arguments:
            at: the measured places. found: their discrepancies. noise: standard deviation of each.
            to: the places to predict; a measured value there would have the least noise.
        """
        farthest = max(place.cpus for place in at)
        far = np.array([place.cpus > farthest for place in to], bool)
        mean, spread = np.zeros(len(to)), np.zeros(len(to))
        for beyond in (False, True):
            mine = far == beyond
            places = [place for place, chosen in zip(to, mine, strict=True) if chosen]
            if places:
                between = self.covariance(places, at, beyond=beyond)
                measured = self._measured(at, noise, beyond=beyond)
                weights = np.linalg.solve(measured, between.T).T
                prior = np.diag(self.covariance(places, places, beyond=beyond))
                variance = prior - (weights * between).sum(axis=1)
                mean[mine] = weights @ found
                spread[mine] = np.sqrt(np.maximum(variance, 0) + NOISE**2)
        return Forecast(mean, spread)

    def average(self, at: Sequence[Place], found: _Floats, noise: _Floats) -> Forecast:
        """The mean discrepancy of the measured places, without their noise."""
        own = self.covariance(at, at)
        between = own.mean(axis=0)
        weights = np.linalg.solve(self._measured(at, noise), between)
        variance = max(0.0, float(own.mean() - weights @ between))
        return Forecast(np.array([weights @ found]), np.array([math.sqrt(variance)]))

    def likelihood(
        self, at: Sequence[Place], found: _Floats, noise: _Floats, *, beyond: bool = False
    ) -> float:
        """The logarithm of the likelihood of discrepancies."""
        measured = self._measured(at, noise, beyond=beyond)
        size = float(np.linalg.slogdet(measured)[1])
        distance = float(found @ np.linalg.solve(measured, found))
        return -0.5 * (size + distance + len(at) * math.log(2 * math.pi))

    def distance(self, at: Sequence[Place], found: _Floats, noise: _Floats) -> float:
        """The squared Mahalanobis distance of discrepancies: chi-squared, of as many degrees."""
        return float(found @ np.linalg.solve(self._measured(at, noise), found))

    def _measured(self, at: Sequence[Place], noise: _Floats, *, beyond: bool = False) -> _Floats:
        return self.covariance(at, at, beyond=beyond) + np.diag(np.maximum(noise, NOISE) ** 2)


@cache
def learned() -> Discrepancy:
    """The process of the committed table."""
    return Discrepancy(**tomllib.loads(TABLE.read_text(encoding="utf-8")))
