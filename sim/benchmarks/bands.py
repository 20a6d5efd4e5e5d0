"""``make bands``: do printed bands hold published measurements? And what the model's error is.

    make bands                  # judges the train half, each dataset by what the others teach
    make bands ARGS=--learn     # writes locksim/study/model_error.toml from the train half, too
    make bands ARGS=--test      # judges the test half with that file
    make bands ARGS=--new       # judges what was measured after that file was written

Every point of the curves of datasets/README.md is simulated as ``locklab sweep`` does it by
default, with its band. A band is judged by its coverage and by the interval score of Gneiting and
Raftery (Journal of the American Statistical Association 102, 2007), in logarithms, since costs and
rates multiply: the width of an interval, and ten times what the measured value lies outside of it.
Both are means over a curve first, and then over curves. Ratios of two locks on the same machine and
number of CPUs are judged in the same way.

Simulated points stay below out/bands, by the digest of what they are made from.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import sys
from bisect import bisect_left
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import combinations
from pathlib import Path
from statistics import fmean
from typing import Any

from curve_questions import NEW, TEST, TRAIN, Question, questions, section_of

from locksim.study.bands import Band, Effect, bands, drawn, ratio
from locksim.study.model_error import (
    CLASSES,
    TABLE,
    Given,
    Learned,
    ModelError,
    class_of,
    given,
    learned,
    slower_and_faster,
)
from locksim.study.simulation import Simulation, simulate

OUT = Path("out/bands")
OPERATIONS, REPLICATIONS, SEED = 100, 5, 1
"""The defaults of ``locklab sweep``."""
HELD = 0.8
"""Share of the measured values that a band is to hold."""
PRIOR_CURVES = 2
"""A class learned from so many curves counts as much as all classes together."""
WITHIN = 1.02
"""How far from the best choice right advice may be."""
FIXED = (1.5, 2.0)
PERCENT = range(100, 1000)
"""Factors that an error of the model may have."""


@dataclass(frozen=True)
class Point:
    """A simulated point: what was measured, and what moves the simulated value.

    Arguments:
        dataset, group, row, cpus: of the question. measured, value: ns of one unit of work.
        moved: the value in each of the draws. kind: its class. own, serial: see ``Given``.
    """

    dataset: str
    group: str
    row: str
    cpus: int
    measured: float
    value: float
    moved: tuple[float, ...]
    kind: str
    own: float
    serial: float

    @property
    def curve(self) -> tuple[str, str]:
        """Its dataset and row."""
        return self.dataset, self.row

    def band(self, error: ModelError | None) -> Band:
        """The band of the value, with an error of the model or without one."""
        ends = min(self.value, *self.moved), max(self.value, *self.moved)
        effects = [Effect("draws", "", *ends, self.moved)]
        if error is not None:
            slower, faster = slower_and_faster(
                error.factor, self.kind, Given(self.own, self.serial)
            )
            effects.append(Effect("model", "", self.value / faster, self.value * slower))
        return Band.of(self.value, effects)


@dataclass(frozen=True)
class Judged:
    """A measured value and the interval that was to hold it, both as factors of the prediction."""

    curve: tuple[str, ...]
    group: str
    kind: str
    measured: float
    low: float
    high: float

    @property
    def holds(self) -> bool:
        """Whether it does."""
        return self.low <= self.measured <= self.high

    @property
    def score(self) -> float:
        """The interval score, in logarithms."""
        low, high, at = (math.log(x) for x in (self.low, self.high, self.measured))
        return high - low + 2 / (1 - HELD) * max(0.0, low - at, at - high)


def main() -> int:
    """Simulate what is missing, then learn or judge."""
    parser = argparse.ArgumentParser(prog="make bands", description=__doc__.splitlines()[0])
    parser.add_argument("--learn", action="store_true", help="write the model's error")
    parser.add_argument("--test", action="store_true", help="judge the half not learned from")
    parser.add_argument("--new", action="store_true", help="judge what came after both halves")
    asked = parser.parse_args()
    points = list(simulated(NEW if asked.new else TEST if asked.test else TRAIN))
    if asked.learn:
        TABLE.write_text(table(points), encoding="utf-8")
    unseen = asked.test or asked.new
    report(points, dict.fromkeys(groups(points), learned()) if unseen else left_out(points))
    return 0


def simulated(datasets: Sequence[str]) -> Iterator[Point]:
    """The points of datasets, from the file or from the simulator."""
    OUT.mkdir(parents=True, exist_ok=True)
    file = OUT / "points.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    known = {one.pop("key"): one for one in map(json.loads, lines)}
    with file.open("a", encoding="utf-8") as out:
        for dataset in datasets:
            for question in questions(dataset):
                key = digest(question)
                if key not in known:
                    known[key] = asdict(simulated_point(question))
                    print(json.dumps({"key": key} | known[key]), file=out, flush=True)
                yield Point(**known[key] | {"moved": tuple(known[key]["moved"])})


def digest(question: Question) -> str:
    """What a point is made from, in 20 digits."""
    made_from = (question, OPERATIONS, REPLICATIONS, SEED)
    return hashlib.sha256(repr(made_from).encode()).hexdigest()[:20]


def simulated_point(question: Question) -> Point:
    """The point as ``locklab sweep`` simulates it."""
    q = question
    options: dict[str, Any] = {"cpus": q.cpus, "operations": OPERATIONS, "seed": SEED}
    run = simulate(
        q.workload, machine=q.machine, placement=q.placement, replications=REPLICATIONS, **options
    )

    def ns(one: Simulation) -> dict[str, float]:
        return {"ns": one.operation_ps().mean / 1e3}

    found = bands(
        drawn(q.machine, REPLICATIONS - 1),
        lambda on: ns(
            simulate(q.workload, machine=on, placement=q.placement, replications=1, **options)
        ),
        ns(run),
        ns(replace(run, replications=run.replications[:1])),
    )["ns"]
    (effect,) = found.effects
    where = q.dataset, q.group, q.row, q.cpus, q.measured_ns
    work = given(run, q.workload)
    return Point(*where, found.value, effect.moved, class_of(run), work.own, work.serial)


def groups(points: Iterable[Point]) -> list[str]:
    """The groups of some points: what is left out together."""
    return sorted({p.group for p in points})


def left_out(points: Sequence[Point]) -> dict[str, Learned]:
    """Each group, with what the others teach."""
    return {g: learn([p for p in points if p.group != g]) for g in groups(points)}


def learn(points: Sequence[Point]) -> Learned:
    """The error of each class, and which part of it two locks do not share.

    The level is the lowest one at which bands that are learned without a group hold ``HELD`` of
    that group's values.
    """
    for percent in range(round(100 * HELD), 100):
        level = percent / 100
        without = {
            g: Learned(errors([p for p in points if p.group != g], level), 1.0)
            for g in groups(points)
        }
        if coverage(judged(points, without)) >= HELD:
            break
    classes = errors(points, level)
    return Learned(classes, least_apart(points, classes, level))


def errors(points: Sequence[Point], level: float) -> dict[str, ModelError]:
    """The smallest factors with which bands hold a share of the values of each class."""
    every = smallest(points, level)
    found = {}
    for kind in CLASSES:
        mine = [p for p in points if p.kind == kind]
        curves = len({p.curve for p in mine})
        own = smallest(mine, level) if mine else 1.0
        weight = curves / (curves + PRIOR_CURVES)
        factor = math.exp(weight * math.log(own) + (1 - weight) * math.log(every))
        found[kind] = ModelError(round(factor, 2), curves)
    return found


def smallest(points: Sequence[Point], level: float) -> float:
    """The smallest factor with which bands hold a share of the values, each curve weighing one."""

    def held(percent: int) -> float:
        same = Learned(dict.fromkeys(CLASSES, ModelError(percent / 100, 0)), 1.0)
        return coverage(judged(points, dict.fromkeys(groups(points), same)))

    return (PERCENT.start + bisect_left(PERCENT, level, key=held)) / 100


def least_apart(points: Sequence[Point], classes: dict[str, ModelError], level: float) -> float:
    """The smallest part of the errors with which bands of ratios hold a share of the values."""

    def held(percent: int) -> float:
        table = Learned(classes, percent / 100)
        return coverage(judged_ratios(points, dict.fromkeys(groups(points), table)))

    return bisect_left(range(100), level, key=held) / 100


def judged(points: Iterable[Point], tables: Mapping[str, Learned] | None) -> list[Judged]:
    """Each point with its band; without tables with the band of the causes alone."""
    found = []
    for p in points:
        band = p.band(None if tables is None else tables[p.group].classes[p.kind])
        found.append(judgement(p.curve, p.group, p.kind, p.measured, band))
    return found


def judged_ratios(points: Iterable[Point], tables: Mapping[str, Learned] | None) -> list[Judged]:
    """The ratio of each two rows of a dataset, on the same number of CPUs."""
    found = []
    for rivals in together(points):
        for one, other in combinations(rivals, 2):
            table = None if tables is None else tables[one.group]
            pair = (p.band(None if table is None else table.classes[p.kind]) for p in (one, other))
            band = ratio(*pair, 1.0 if table is None else table.apart)
            curve = (*one.curve, other.row)
            kind = " / ".join(sorted({one.kind, other.kind}))
            measured = one.measured / other.measured
            found.append(judgement(curve, one.group, kind, measured, band))
    return found


def judgement(curve: tuple[str, ...], group: str, kind: str, measured: float, band: Band) -> Judged:
    """A measured value beside its band."""
    v = band.value
    return Judged(curve, group, kind, measured / v, band.low / v, band.high / v)


def together(points: Iterable[Point]) -> Iterator[list[Point]]:
    """Rows of a dataset that are rivals: the same section, on as many CPUs; two or more."""
    found = defaultdict(list)
    for p in points:
        if p.cpus > 1:
            found[p.dataset, section_of(p.row), p.cpus].append(p)
    return (rivals for rivals in found.values() if len(rivals) > 1)


@dataclass(frozen=True)
class Choice:
    """What a sweep says of rivals.

    Arguments:
        sure: whether it names one. right: whether the fastest one of the simulation is within
            ``WITHIN`` of the best. taken, best: the logarithms of what the fastest one of the
            simulation and the best one gain over the middle of all, as measured.
    """

    sure: bool
    right: bool
    taken: float
    best: float


def advice(points: Iterable[Point], tables: Mapping[str, Learned]) -> list[Choice]:
    """Each choice between rivals."""
    found = []
    for rivals in together(points):
        best, second, *_ = sorted(rivals, key=lambda p: p.value)
        table = tables[best.group]
        pair = (p.band(table.classes[p.kind]) for p in (second, best))
        every = [math.log(p.measured) for p in rivals]
        usual, least, mine = fmean(every), min(every), math.log(best.measured)
        right = mine <= least + math.log(WITHIN)
        sure = ratio(*pair, table.apart).low > 1
        found.append(Choice(sure, right, usual - mine, usual - least))
    return found


def coverage(found: Sequence[Judged]) -> float:
    """The share of the values that lie in their bands: of each curve, then over curves."""
    return over_curves(found, lambda one: float(one.holds))


def over_curves(found: Sequence[Judged], of: Callable[[Judged], float]) -> float:
    """A mean over each curve, then over curves."""
    curves = defaultdict(list)
    for one in found:
        curves[one.curve].append(of(one))
    return fmean(map(fmean, curves.values())) if curves else 0.0


def fixed(found: Sequence[Judged], factor: float) -> list[Judged]:
    """The same values with an interval of a fixed factor."""
    return [replace(one, low=1 / factor, high=factor) for one in found]


def table(points: Sequence[Point]) -> str:
    """The text of ``model_error.toml``."""
    found, sets = learn(points), sorted({p.dataset for p in points})
    text = [
        "# The error of the model, by class of question (model_error.py). Written by",
        "# `make bands ARGS=--learn` from these datasets (datasets/README.md):",
        *(f"# {name}" for name in sets),
        "",
        "[ratio]",
        "# The part of an error that two locks on one machine do not share, in logarithms.",
        f"apart = {found.apart}",
    ]
    for name, error in found.classes.items():
        count = Counter(p.kind for p in points)[name]
        text += ["", f'[class."{name}"]', f"factor = {error.factor}", f"curves = {error.curves}"]
        text += [f"points = {count}"]
    return "\n".join(text) + "\n"


def report(points: Sequence[Point], tables: Mapping[str, Learned]) -> None:
    """Print how well bands of points and of ratios held, beside fixed factors and without error."""
    for name, judge in (("points", judged), ("ratios of two locks", judged_ratios)):
        found, before = judge(points, tables), judge(points, None)
        curves = len({one.curve for one in found})
        off = math.exp(fmean(abs(math.log(one.measured)) for one in found))
        print(f"\n{name}: {len(found)} of {curves} curves, off by a factor of {off:.2f}\n")
        print("| band | coverage | interval score |\n|---|---:|---:|")
        rows = [("printed", found), ("without the error of the model", before)]
        rows += [(f"fixed, ×/÷ {factor}", fixed(found, factor)) for factor in FIXED]
        for words, these in rows:
            score = over_curves(these, lambda one: one.score)
            print(f"| {words} | {coverage(these):.0%} | {score:.2f} |")
        for head, key in (("class", "kind"), ("set", "group")):
            print(f"\n| {head} | points | factor | coverage | interval score |")
            print("|---|---:|---:|---:|---:|")
            for part in sorted({getattr(one, key) for one in found}):
                these = [one for one in found if getattr(one, key) == part]
                off = math.exp(fmean(abs(math.log(one.measured)) for one in these))
                score = over_curves(these, lambda one: one.score)
                row = part, f"{len(these)}", f"{off:.2f}", f"{coverage(these):.0%}", f"{score:.2f}"
                print(f"| {' | '.join(row)} |")
    choices = advice(points, tables)
    spoken, silent = ([c for c in choices if c.sure is sure] for sure in (True, False))
    print(f"\nadvice: speaks in {len(spoken)} of {len(choices)} choices, right in "
          f"{sum(c.right for c in spoken)};")  # fmt: skip
    print(f"where it does not, the predicted best was right in {sum(c.right for c in silent)}")
    for words, taken in (("what it names", spoken), ("the predicted best of all", choices)):
        if possible := sum(c.best for c in choices):
            share = sum(c.taken for c in taken) / possible
            print(f"gain over a lock at random that {words} collects: {share:.0%} of the best's")


if __name__ == "__main__":
    sys.exit(main())
