"""A fit of the simulator to a few measured points of one lock, and what it says about other points.

- A *level*: by which factor the measured times differ from the simulated ones, with an interval
  (:mod:`locksim.study.discrepancy`). Two points are enough for it.
- A *load*, from four points: a hold time, a number of cache lines in the section, a placement.
  Each candidate is simulated, and the most likely one predicts. A candidate is ruled out if it is
  ``RULED_OUT`` times less likely. So the interval of a quantity is a likelihood interval (Royall,
  Statistical Evidence, Chapman & Hall, 1997).
- The *shape* of the curve. With points at four numbers of CPUs, a law of Gunther's form is fitted
  to them, too: T(n) = a + b (n - 1) + c n (n - 1), none below 0. It knows nothing of the machine,
  so its errors are other ones than the simulator's. The prediction is a weighted geometric mean of
  both (Bates and Granger, The combination of forecasts, Operational Research Quarterly 20, 1969).
  Among the points the law has half the weight. Beyond them it has less, by the distance over the
  width of the points, both in ln n: a law says nothing of what begins to cost later. The law is of
  one lock, so other locks have the simulator and the level only.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from locksim.study.discrepancy import NOISE, Discrepancy, Forecast, Place

__all__ = ["Candidate", "MeasuredPoint", "PointFit", "PointsError", "candidates", "fit", "joined"]

LEAST_POINTS, LOAD_POINTS, LAW_POINTS = 2, 4, 4
"""Points for a level, for a load and for a law."""
LAW_SHARE = 0.5
"""The weight of the law among the points."""
MOST_POINTS = 64
RULED_OUT = 10.0
"""So many times less likely than the best: ruled out."""
HOLDS = (0.25, 0.5, 1.0, 2.0, 4.0)
LEAST_HOLD_PS = 100_000
"""Holds are tried at these factors of the given one, or of this one if it is shorter."""
LINES = (1, 2, 4)
HALF_95 = 1.96
SURPRISE = 1.645
"""Standard normal quantile of 95 %: rarer discrepancies contradict the model."""
_Floats = npt.NDArray[np.float64]


class PointsError(Exception):
    """Points that cannot be read or fitted; the message says why."""

    exit_code = 2


@dataclass(frozen=True, slots=True)
class MeasuredPoint:
    """A measured point of a lock.

    Arguments:
        lock: its name. cpus: how many CPUs used it. ns: from one section to the next on one CPU.
        noise: standard deviation of ln ns; 0 if it is not known.
    """

    lock: str
    cpus: int
    ns: float
    noise: float

    @property
    def place(self) -> Place:
        """Where its discrepancy is."""
        return Place(self.lock, self.cpus)

    def shorter_than(self, work_ns: float) -> bool:
        """Whether the CPU's work alone takes longer, by more than the noise."""
        return self.ns * math.exp(HALF_95 * max(self.noise, NOISE)) < work_ns


@dataclass(frozen=True, slots=True)
class Candidate:
    """A load that may be the measured one. words: as of ``LoadSettings``."""

    hold_ps: int
    words: int
    placement: str

    def lines(self, words_per_line: int) -> int:
        """How many cache lines the words take."""
        return -(-self.words // words_per_line)


@dataclass(frozen=True)
class PointFit:
    """What the points say.

    Arguments:
        points: the measured ones. load: the load that predicts.
        possible: the candidates that are not ruled out. tried: how many there were.
        level: measured over simulated times at the points: mean, and its 80 % interval.
        surprise: squared distance of the points from the model. limit: 95 % of machines are below.
    """

    points: Sequence[MeasuredPoint]
    load: Candidate
    possible: Sequence[Candidate]
    tried: int
    level: tuple[float, float, float]
    surprise: float
    limit: float
    _process: Discrepancy
    _found: _Floats

    @property
    def contradicts(self) -> bool:
        """Whether the points are farther from the model than its error."""
        return self.surprise > self.limit

    @property
    def factors(self) -> list[float]:
        """Measured over simulated time of each point."""
        return [float(x) for x in np.exp(self._found)]

    def predict(self, lock: str, cpus: Sequence[int], simulated_ns: Sequence[float]) -> Forecast:
        """The discrepancies of a lock that is simulated with the load of the fit.

        Arguments:
            lock: the measured one or another. cpus: the numbers of CPUs. simulated_ns: at each.
        """
        at, noise = _places(self.points)
        forecast = self._process.forecast(at, self._found, noise, [Place(lock, n) for n in cpus])
        return (
            joined(forecast, simulated_ns, self.points, cpus)
            if lock == self.points[0].lock
            else forecast
        )


def read_points(file: Path) -> list[MeasuredPoint]:
    """The points of a file: CSV, or the JSON of ``locklab native bench --json`` (or ``sweep``).

    A row has ``lock`` (or ``kernel``), ``cpus`` (or ``threads``), and a rate or a time:
    ``per_second``, sections of all CPUs together, or ``ns_per_operation``, from one section to the
    next on one CPU. With ``low`` and ``high``, a 95 % interval in the same unit, it has its noise.

    Raises:
        PointsError: the file cannot be read, or holds no such points.
    """
    try:
        text = file.read_text(encoding="utf-8-sig")
        rows = (
            _json_rows(text) if file.suffix == ".json" else list(csv.DictReader(text.splitlines()))
        )
    except (OSError, UnicodeDecodeError, csv.Error, json.JSONDecodeError) as error:
        raise PointsError(f"{file}: cannot be read ({error}); name a CSV or JSON file") from error
    points = [_point(f"{file}, point {i}", row) for i, row in enumerate(rows, 1)]
    names = sorted({point.lock for point in points})
    if len(names) > 1:
        raise PointsError(
            f"{file}: points of {', '.join(names)}\nhelp: keep the rows of one lock; "
            "name the others as arguments, and they are predicted"
        )
    numbers = {point.cpus for point in points}
    if not LEAST_POINTS <= len(points) <= MOST_POINTS or len(numbers) < LEAST_POINTS:
        raise PointsError(
            f"{file}: {len(points)} points at {len(numbers)} numbers of CPUs; a fit needs "
            f"{LEAST_POINTS} to {MOST_POINTS} points, at {LEAST_POINTS} numbers of CPUs or more"
        )
    return sorted(points, key=lambda point: point.cpus)


def candidates(
    given: Candidate, points: int, words_per_line: int, placements: int
) -> list[Candidate]:
    """The loads to try: the given one first, and with few points only this one.

    Arguments:
        points: how many there are. words_per_line: of the machine.
        placements: how many of them differ on this machine.
    """
    if points < LOAD_POINTS:
        return [given]
    holds = [round(factor * max(given.hold_ps, LEAST_HOLD_PS)) for factor in HOLDS]
    words = [1 + (lines - 1) * words_per_line for lines in LINES]
    found = [
        replace(given, hold_ps=hold, words=n)
        for hold, n in product([given.hold_ps, *holds], [given.words, *words])
    ]
    if placements > 1:
        other = {"compact": "scatter", "scatter": "compact"}[given.placement]
        found.append(replace(given, placement=other))
    return list(dict.fromkeys(found))


def fit(
    points: Sequence[MeasuredPoint],
    simulated_ns: Mapping[Candidate, Sequence[float]],
    process: Discrepancy,
) -> PointFit:
    """Fit the simulator to points.

    Arguments:
        points: of one lock. simulated_ns: the times of the points with each load.
        process: how discrepancies behave.
    """
    at, noise = _places(points)
    measured = np.log([point.ns for point in points])
    found = {load: measured - np.log(times) for load, times in simulated_ns.items()}
    likely = {load: process.likelihood(at, of, noise) for load, of in found.items()}
    least = max(likely.values()) - math.log(RULED_OUT)
    possible = [load for load in likely if likely[load] >= least]
    load = max(likely, key=likely.__getitem__)
    (level,) = process.average(at, found[load], noise).factors()
    return PointFit(
        points,
        load,
        possible,
        len(likely),
        level,
        process.distance(at, found[load], noise),
        _chi_squared(len(points)),
        process,
        found[load],
    )


def joined(
    forecast: Forecast,
    simulated_ns: Sequence[float],
    points: Sequence[MeasuredPoint],
    cpus: Sequence[int],
) -> Forecast:
    """The forecast of the measured lock, joined with a law of its points where these suffice.

    Arguments:
        forecast: from the simulator. simulated_ns, cpus: what it is about.
        points: the measured ones.
    """
    if len({point.cpus for point in points}) < LAW_POINTS:
        return forecast
    law = np.log(_law(points, cpus) / np.asarray(simulated_ns))
    measured = np.log([point.cpus for point in points])
    beyond = np.maximum(np.log(cpus) - measured.max(), 0) / np.ptp(measured)
    weight = LAW_SHARE * np.exp(-beyond)
    return Forecast(weight * law + (1 - weight) * forecast.mean, forecast.spread)


def _law(points: Sequence[MeasuredPoint], cpus: Sequence[int]) -> _Floats:
    """Times by a law of three terms, none below 0, of the least relative squares."""
    times = np.array([point.ns for point in points])
    terms = _terms([point.cpus for point in points]) / times[:, None]
    best, error = np.zeros(3), math.inf
    for size in (1, 2, 3):
        for chosen in map(list, combinations(range(3), size)):
            found = np.linalg.lstsq(terms[:, chosen], np.ones(len(times)), rcond=None)[0]
            off = float(((terms[:, chosen] @ found - 1) ** 2).sum())
            if found.min() >= 0 and off < error:
                best, error = np.zeros(3), off
                best[chosen] = found
    return np.asarray(_terms(cpus) @ best, np.float64)


def _terms(cpus: Sequence[int]) -> _Floats:
    n = np.array(cpus, np.float64)
    return np.stack([np.ones(len(n)), n - 1, n * (n - 1)], axis=1)


def _places(points: Sequence[MeasuredPoint]) -> tuple[list[Place], _Floats]:
    return [point.place for point in points], np.array([point.noise for point in points])


def _chi_squared(freedom: int) -> float:
    """The 95 % quantile (Wilson and Hilferty, PNAS 17, 1931: within 1 %)."""
    part = 2 / (9 * freedom)
    return float(freedom * (1 - part + SURPRISE * math.sqrt(part)) ** 3)


def _json_rows(text: str) -> list[dict[str, Any]]:
    document = json.loads(text)
    rows = document.get("cells", document.get("rows")) if isinstance(document, dict) else document
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise json.JSONDecodeError("no list of cells or rows", text, 0)
    return rows


def _point(where: str, row: Mapping[str, Any]) -> MeasuredPoint:
    lock = row.get("lock") or row.get("kernel")
    if not lock:
        raise PointsError(f"{where}: no column lock\nhelp: the columns are lock, cpus, per_second")
    number = _number(where, row, "cpus" if "kernel" not in row else "threads")
    cpus = int(number)
    if cpus != number or cpus < 1:
        raise PointsError(f"{where}: the number of CPUs must be whole and from 1 (got {number:g})")
    if row.get("per_second"):
        rate = _number(where, row, "per_second")
        ns, ends = 1e9 * cpus / rate, ("per_second_low", "per_second_high")
    else:
        rate, ends = _number(where, row, "ns_per_operation"), ("ns_low", "ns_high")
        ns = rate
    low, high = (row.get(name) or row.get(name.rpartition("_")[2]) for name in ends)
    noise = 0.0
    if low and high:
        low, high = (_number(where, {"low": low, "high": high}, name) for name in ("low", "high"))
        if not low <= rate <= high:
            raise PointsError(f"{where}: {rate:g} is not between low and high ({low:g}, {high:g})")
        noise = math.log(high / low) / (2 * HALF_95)
    return MeasuredPoint(str(lock), cpus, ns, noise)


def _number(where: str, row: Mapping[str, Any], name: str) -> float:
    """A positive number of a row."""
    try:
        value = float(row.get(name) or "nan")
    except (TypeError, ValueError):
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise PointsError(
            f"{where}: {name} is {row.get(name) or 'missing'}; give a number above 0\n"
            "help: the columns are lock, cpus, and per_second or ns_per_operation"
        )
    return value
