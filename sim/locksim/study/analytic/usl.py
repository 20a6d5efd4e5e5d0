"""The Universal Scalability Law: throughput as a formula of three numbers, usually fitted.

    X(N) = gamma N / (1 + sigma (N - 1) + kappa N (N - 1))

gamma is the throughput of one CPU, sigma the share of the work that is done one after another, and
kappa the cost of each pair of CPUs. Without kappa it is Amdahl's law; with it throughput has a
peak, at sqrt((1 - sigma) / kappa) CPUs.

The law is a description: its numbers are fitted to measured points and say little about the cause.
One interpretation exists. Let N CPUs think for Z at the same time and then all queue at once, which
is the worst case, with a service time that grows with the number of waiters, s + c (N - 1) / 2. A
round takes Z + N (s + c (N - 1) / 2). That is this formula with gamma = 1 / (Z + s), sigma =
s / (Z + s) and kappa = c / 2 / (Z + s): :meth:`USL.of_times`.

Sources: Gunther, CMG 1993, and "Guerrilla Capacity Planning", Springer 2007; the interpretation:
Gunther, arXiv:0808.1431, 2008.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from locksim.study.analytic.errors import AnalyticError, check_times
from locksim.study.analytic.mva import NS_PER_S

MIN_POINTS = 4
"""Different CPU counts that a fit needs: three numbers, and one more point for the error.
Gunther advises six or more."""

_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class USL:
    """The law with its three numbers.

    Arguments:
        gamma: throughput of one CPU, per second, above 0.
        sigma: share of the work that is serial, from 0.
        kappa: cost of coherence for each pair of CPUs, from 0.
    """

    gamma: float
    sigma: float
    kappa: float

    @classmethod
    def of_times(cls, *, hold_ns: float, think_ns: float, transfer_ns: float) -> USL:
        """The law for N CPUs that all request a lock at once, round after round.

        Arguments:
            hold_ns: time of a critical section without waiters, above 0.
            think_ns: time between two critical sections.
            transfer_ns: time for which one waiter's read occupies the lock's line.

        Raises:
            AnalyticError: a number is out of range.
        """
        check_times(positive="hold_ns", hold_ns=hold_ns, think_ns=think_ns, transfer_ns=transfer_ns)
        round_ns = hold_ns + think_ns
        return cls(NS_PER_S / round_ns, hold_ns / round_ns, transfer_ns / 2 / round_ns)

    @property
    def peak_cpus(self) -> float:
        """Number of CPUs with the highest throughput; infinite if it never falls."""
        if self.sigma >= 1:
            return 1.0
        return math.sqrt((1 - self.sigma) / self.kappa) if self.kappa else math.inf

    def per_second(self, cpus: Sequence[float] | _Floats) -> _Floats:
        """Throughput for each number of CPUs."""
        return _law(np.asarray(cpus, np.float64), self.gamma, self.sigma, self.kappa)


@dataclass(frozen=True, slots=True)
class UslFit:
    """A law fitted to points, with the uncertainty of its numbers.

    Arguments:
        law: the best fit.
        intervals: name of each number → its 95 % interval. The linear approximation at the best
            law, cut at 0: an interval from 0 says that the points do not show this term.
        residual: standard deviation of the points from the law, per second.
    """

    law: USL
    intervals: dict[str, tuple[float, float]]
    residual: float
    _covariance: _Floats
    _quantile: float

    def per_second(self, cpus: Sequence[float] | _Floats) -> tuple[_Floats, _Floats, _Floats]:
        """Throughput for each number of CPUs, and the 95 % interval of the law (not of a point)."""
        n = np.asarray(cpus, np.float64)
        slopes = _slopes(n, self.law.gamma, self.law.sigma, self.law.kappa)
        spread = np.sqrt(np.einsum("ij,jk,ik->i", slopes, self._covariance, slopes))
        best = self.law.per_second(n)
        half = self._quantile * spread
        return best, np.maximum(0, best - half), best + half


def fit(cpus: Sequence[float] | _Floats, per_second: Sequence[float] | _Floats) -> UslFit:
    """Fit the law to measured throughput, by bounded least squares.

    Arguments:
        cpus: numbers of CPUs, each from 1; numbers may repeat.
        per_second: throughput at each, above 0.

    Raises:
        AnalyticError: the lists differ in length, have a value that is not a throughput, or fewer
            than four different numbers of CPUs.
    """
    from scipy import optimize, stats

    n, x = _points(cpus, per_second)
    unit = float(x.max())

    def residuals(p: _Floats) -> _Floats:
        return _law(n, p[0], p[1], p[2]) - x / unit

    def jacobian(p: _Floats) -> _Floats:
        return _slopes(n, p[0], p[1], p[2])

    start = [float((x / n).max()) / unit, 0.05, 1e-4]
    found = optimize.least_squares(
        residuals,
        start,
        jac=jacobian,
        bounds=([0, 0, 0], np.inf),
        x_scale="jac",
        xtol=1e-12,
        ftol=1e-12,
        gtol=1e-12,
        max_nfev=2000,
    )
    freedom = len(n) - 3
    scale = np.array([unit, 1.0, 1.0])
    best = found.x * scale
    variance = 2 * found.cost / freedom
    slopes = jacobian(found.x)
    inverse = np.linalg.pinv(slopes.T @ slopes)
    covariance = np.asarray(inverse * variance * np.outer(scale, scale), np.float64)
    quantile = float(stats.t.ppf(0.975, freedom))
    half = quantile * np.sqrt(np.diag(covariance))
    names = ("gamma", "sigma", "kappa")
    intervals = {
        name: (max(0.0, float(b - h)), float(b + h))
        for name, b, h in zip(names, best, half, strict=True)
    }
    law = USL(*(float(b) for b in best))
    return UslFit(law, intervals, math.sqrt(variance) * unit, covariance, quantile)


def _law(n: _Floats, gamma: float, sigma: float, kappa: float) -> _Floats:
    return np.asarray(gamma * n / (1 + sigma * (n - 1) + kappa * n * (n - 1)), np.float64)


def _slopes(n: _Floats, gamma: float, sigma: float, kappa: float) -> _Floats:
    """The derivatives of the law by its three numbers: float64[len(n), 3]."""
    below = 1 + sigma * (n - 1) + kappa * n * (n - 1)
    by_sigma = -gamma * n * (n - 1) / below**2
    return np.stack([n / below, by_sigma, n * by_sigma], axis=1)


def _points(
    cpus: Sequence[float] | _Floats, per_second: Sequence[float] | _Floats
) -> tuple[_Floats, _Floats]:
    n, x = np.asarray(cpus, np.float64), np.asarray(per_second, np.float64)
    if n.ndim != 1 or n.shape != x.shape:
        raise AnalyticError(
            f"{n.size} numbers of CPUs and {x.size} throughputs: give one for each, in plain lists"
        )
    if not (np.isfinite(n).all() and (n >= 1).all()):
        raise AnalyticError("a number of CPUs is below 1 or not a number: give numbers from 1")
    if not (np.isfinite(x).all() and (x > 0).all()):
        raise AnalyticError("a throughput is 0, negative or not a number: leave such points out")
    different = len(np.unique(n))
    if different < MIN_POINTS:
        raise AnalyticError(
            f"points at {different} different CPU counts: the law has three parameters and needs "
            f"at least {MIN_POINTS} different ones; six or more are better"
        )
    return n, x
