"""``make fits``: does ``locklab report fit`` predict points that were not measured?

    make fits                  # judges the train half, each group by what the others teach
    make fits ARGS=--learn     # writes locksim/study/discrepancy.toml from the train half, too
    make fits ARGS=--test      # judges the test half with that file

Of each published curve (datasets/README.md, "Curves to learn from") with more points than are
needed, the lowest ones are the measured points, and all others are predicted: *beyond*. Then as
many that lie evenly over the curve are: *between*. A Universal Scalability Law that is fitted to
the same points stands beside the fit. *Other locks* are predicted from the lowest points of one
lock, on the same machine and by the same author. Loads are as the source states them there. *With a
load* the load is fitted, too, to the locks of the sets of ``downs-2020``. Errors are means of
logarithms over a curve, then over curves.

Simulated points are those of ``make bands``.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from functools import cache
from itertools import permutations
from statistics import fmean
from typing import Any

import numpy as np
import numpy.typing as npt
from bands import Point, simulated
from curve_questions import PS_PER_NS, TEST, TRAIN, Question, lock_load, questions
from scipy import optimize

from locksim.papers.curves.sets import LOCKS
from locksim.study.analytic import usl
from locksim.study.discrepancy import HALF_80, NOISE, TABLE, Discrepancy, Place, learned
from locksim.study.point_fit import (
    LAW_POINTS,
    LOAD_POINTS,
    Candidate,
    MeasuredPoint,
    candidates,
    fit,
    joined,
)
from locksim.study.simulation import simulate

Curve = list[Point]
Pick = Callable[[int], list[int]]
POINTS = (2, 3, 4, 6)
SPIN_AND_SLEEP = LOCKS | {"mutex add": "futex"}
"""Row → lock of the library, round one increment."""
GIVEN, WORDS_PER_LINE = Candidate(0, 1, "compact"), 8
FARTHEST = 3.0
"""No value of the process is farther from 1 than this, in logarithms."""
LEAST_LEFT = 2
"""A curve counts if so many points are left to predict."""


def main() -> int:
    """Learn, or judge."""
    parser = argparse.ArgumentParser(prog="make fits", description=__doc__.splitlines()[0])
    parser.add_argument("--learn", action="store_true", help="write the discrepancy")
    parser.add_argument("--test", action="store_true", help="judge the half not learned from")
    asked = parser.parse_args()
    curves = curves_of(simulated(TEST if asked.test else TRAIN))
    if asked.learn:
        TABLE.write_text(table(learn(curves)), encoding="utf-8")
    groups = {curve[0].group for curve in curves}
    tables = (
        dict.fromkeys(groups, learned())
        if asked.test
        else {g: learn([c for c in curves if c[0].group != g]) for g in groups}
    )
    report(curves, tables)
    report_loads([name for name in (TEST if asked.test else TRAIN) if "downs" in name], tables)
    return 0


def curves_of(points: Iterator[Point]) -> list[Curve]:
    """The curves of points, by the number of CPUs."""
    found = defaultdict(list)
    for point in points:
        found[point.curve].append(point)
    return [sorted(curve, key=lambda p: p.cpus) for curve in found.values()]


def learn(curves: Sequence[Curve]) -> Discrepancy:
    """The process of the highest likelihood; each curve counts as much as any other."""
    samples = [sample([curve]) for curve in curves if len(curve) >= max(POINTS)]

    def best(start: Sequence[float], process: Callable[..., Discrepancy], *, beyond: bool) -> Any:
        def unlikely(at: npt.NDArray[np.float64]) -> float:
            if np.abs(at).max() > FARTHEST:
                return math.inf
            found = process(*np.exp(at))
            return -math.fsum(
                found.likelihood(*one, beyond=beyond) / len(one[0]) for one in samples
            )

        found = optimize.minimize(unlikely, np.log(start), method="Nelder-Mead").x
        return [round(math.exp(x), 2) for x in found]

    near = best((0.4, 0.4, 1.0), lambda *x: Discrepancy(*x, 1, 1), beyond=False)
    far = best((0.4, 0.4), lambda *x: Discrepancy(1, 1, 1, *x), beyond=True)
    return Discrepancy(*near, *far)


def sample(
    curves: Sequence[Curve],
) -> tuple[list[Place], npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """The places of curves, their discrepancies, and the noise."""
    points = [(place(p), math.log(p.measured / p.value)) for curve in curves for p in curve]
    return (
        [at for at, _ in points],
        np.array([d for _, d in points]),
        np.full(len(points), NOISE),
    )


def place(point: Point) -> Place:
    """Where a point is."""
    return Place("/".join(point.curve), point.cpus)


def table(found: Discrepancy) -> str:
    """The text of ``discrepancy.toml``."""
    return (
        "# The discrepancy of the simulator (discrepancy.py), from the train half.\n"
        "# Written by `make fits ARGS=--learn`.\n"
        + "".join(f"{name} = {value}\n" for name, value in asdict(found).items())
    )


def lowest(points: int) -> Pick:
    """The lowest points of a curve."""
    return lambda size: list(range(points))


def spread(points: int) -> Pick:
    """Points that lie evenly over a curve, both ends included."""
    return lambda size: sorted({round(i * (size - 1) / (points - 1)) for i in range(points)})


def report(curves: Sequence[Curve], processes: Mapping[str, Discrepancy]) -> None:
    """Print the factors of predictions, beside a law and the simulator alone."""
    print("| points | curves | not fitted | fit | its 80 % band holds | law |")
    print("|---|---:|---:|---:|---:|---:|")
    for word, pick in (("the lowest", lowest), ("spread", spread)):
        for points in POINTS:
            found = [
                judged(curve, pick(points), processes[curve[0].group])
                for curve in curves
                if len(curve) >= points + LEAST_LEFT and len(curve) >= max(POINTS)
            ]
            print(f"| {word} {points} | {len(found)} | {words(found)} |")
    for points in POINTS:
        found = [
            judged_other(one, other, points, processes[one[0].group])
            for one in curves
            for other in curves
            if one is not other and one[0].group == other[0].group and len(one) >= max(POINTS)
        ]
        if found:
            print(f"| another lock from the lowest {points} | {len(found)} | {words(found)} |")


def words(found: Sequence[Sequence[float]]) -> str:
    """A row: the factors of the simulator and the fit, the coverage, the factor of the law."""
    alone, fit, holds, law = (fmean(column) for column in zip(*found, strict=True))
    last = "–" if math.isnan(law) else f"{math.exp(law):.2f}"
    return f"{math.exp(alone):.2f} | {math.exp(fit):.2f} | {holds:.0%} | {last}"


def judged(curve: Curve, pick: Pick, process: Discrepancy) -> tuple[float, ...]:
    """How wrong a curve's other points are predicted: simulator, fit, coverage, law."""
    chosen = pick(len(curve))
    points = [curve[i] for i in chosen]
    rest = [p for i, p in enumerate(curve) if i not in chosen]
    at, found, noise = sample([points])
    true = np.array([math.log(p.measured / p.value) for p in rest])
    forecast = process.forecast(at, found, noise, [place(p) for p in rest])
    law = math.nan
    if len(points) >= LAW_POINTS:
        fitted = usl.fit([p.cpus for p in points], [p.cpus * 1e9 / p.measured for p in points])
        rates = fitted.law.per_second([p.cpus for p in rest])
        by_law = [p.cpus * 1e9 / rate for p, rate in zip(rest, rates, strict=True)]
        law = fmean(abs(math.log(t / p.measured)) for t, p in zip(by_law, rest, strict=True))
    forecast = joined(
        forecast,
        [p.value for p in rest],
        [MeasuredPoint(p.row, p.cpus, p.measured, NOISE) for p in points],
        [p.cpus for p in rest],
    )
    return (*errors(true, forecast.mean, forecast.spread), law)


def judged_other(one: Curve, other: Curve, points: int, process: Discrepancy) -> tuple[float, ...]:
    """How wrong another lock is predicted from the lowest points of one."""
    true = np.array([math.log(p.measured / p.value) for p in other])
    forecast = process.forecast(*sample([one[:points]]), [place(p) for p in other])
    return (*errors(true, forecast.mean, forecast.spread), math.nan)


def report_loads(datasets: Sequence[str], processes: Mapping[str, Discrepancy]) -> None:
    """Print the factors of other locks' points, with the given load and with a fitted one."""
    print("\n| points | curves | given load | fitted load | its 80 % band holds |")
    print("|---|---:|---:|---:|---:|")
    for points in POINTS:
        found = [one for name in datasets for one in judged_loads(name, points, processes)]
        if points >= LOAD_POINTS and found:
            given, fitted, holds = (fmean(column) for column in zip(*found, strict=True))
            words = f"{math.exp(given):.2f} | {math.exp(fitted):.2f} | {holds:.0%}"
            print(f"| another lock from the lowest {points} | {len(found)} | {words} |")


def judged_loads(
    dataset: str, points: int, processes: Mapping[str, Discrepancy]
) -> Iterator[tuple[float, float, float]]:
    """How wrong each other lock is predicted from the lowest points of each: loads, coverage."""
    curves = defaultdict(list)
    for question in questions(dataset):
        if question.row in SPIN_AND_SLEEP:
            curves[question.row].append(question)

    @cache
    def ns(row: str, cpus: int, load: Candidate) -> float:
        machine = curves[row][0].machine
        workload = lock_load(SPIN_AND_SLEEP[row], hold_ps=load.hold_ps, words=load.words)
        run = simulate(workload, machine=machine, cpus=cpus, replications=1)
        return run.operation_ps().mean / PS_PER_NS

    def times(row: str, of: Sequence[Question], load: Candidate) -> list[float]:
        return [ns(row, q.cpus, load) for q in of]

    for row, other in permutations(curves, 2):
        if len(curves[row]) < points:
            continue
        low, rest = curves[row][:points], curves[other]
        measured = [MeasuredPoint(row, q.cpus, q.measured_ns, NOISE) for q in low]
        result = []
        for loads in ([GIVEN], candidates(GIVEN, points, WORDS_PER_LINE, 1)):
            found = fit(
                measured, {one: times(row, low, one) for one in loads}, processes[low[0].group]
            )
            simulated_ns = times(other, rest, found.load)
            forecast = found.predict(other, [q.cpus for q in rest], simulated_ns)
            true = np.log([q.measured_ns for q in rest]) - np.log(simulated_ns)
            result.append(errors(true, forecast.mean, forecast.spread))
        (_, given, _), (_, fitted, holds) = result
        yield given, fitted, holds


def errors(
    true: npt.NDArray[np.float64], mean: npt.NDArray[np.float64], deviation: npt.NDArray[np.float64]
) -> tuple[float, float, float]:
    """The mean error without and with a fit, in logarithms, and the share that the band holds."""
    off = np.abs(true - mean)
    return float(np.abs(true).mean()), float(off.mean()), float((off <= HALF_80 * deviation).mean())


if __name__ == "__main__":
    sys.exit(main())
