"""From trials to readings: one number a cell, with its interval, in one regime of the machine.

A reading is the median over a cell's good trials, with a bootstrap interval: the trial is the
sampling unit. Most kernels give the time from one operation to the next, all threads together;
``write_shared`` gives that of the writer alone.

**Regimes.** Virtual CPUs may be moved during a survey; two that shared a cache then no longer do.
The sentinel, a handoff that is timed about once a second, shows it: its readings fall into groups
far apart. On a busy host some readings lie between the groups, so the groups are also looked for in
the medians of a few sentinels. A trial of several CPUs counts only if the sentinels before and
after it belong to the largest group. On real hardware there is only one group, and no trial is
lost.

**Speed.** A trial that looked good when few had run is judged again by all trials
(:mod:`locknative.survey.speed`).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from locknative.errors import NativeError
from locknative.survey.cells import Cell
from locknative.survey.folder import FORMAT, PROVENANCE, provenance, records, rejections
from locknative.survey.speed import SpeedCheck, turns_ns
from lockui.formats import other_format

APART = 1.4
"""Sentinels that differ by more than this factor belong to different regimes."""
SMOOTHED = 5
"""Sentinels whose median stands for one of them, where single ones do not fall into groups."""
RESAMPLES = 1000
SENTINEL_WITHIN_S = 5.0
"""A trial without good sentinels this near in time, before and after, belongs to no regime."""


@dataclass(frozen=True)
class Reading:
    """The value of one cell, from its trials.

    Arguments:
        value_ns: the median over the trials, in ns.
        trials: float64[n], each trial's value in ns.
    """

    value_ns: float
    trials: npt.NDArray[np.float64]

    @classmethod
    def of(cls, values: Iterable[float]) -> Reading:
        """Return the reading of some trials' values, at least one."""
        trials = np.asarray(list(values), np.float64)
        return cls(float(np.median(trials)), trials)

    def resampled(self, seed: int = 1) -> npt.NDArray[np.float64]:
        """Return medians of ``RESAMPLES`` bootstrap samples of the trials, in ns."""
        random = np.random.default_rng(seed)
        picked = random.integers(0, len(self.trials), (RESAMPLES, len(self.trials)))
        return np.asarray(np.median(self.trials[picked], axis=1), np.float64)

    @property
    def interval_ns(self) -> tuple[float, float]:
        """The 95 % interval of the median, in ns."""
        low, high = np.quantile(self.resampled(), [0.025, 0.975])
        return float(low), float(high)


@dataclass(frozen=True)
class Regime:
    """The trials that belong together.

    Arguments:
        sentinel_ns: the median sentinel in it, NaN where there is none (one CPU).
        share: the fraction of the good sentinels that belong to it.
        left_out: good trials that belong to another regime, or to none.
        lost: kernels of which no good trial belongs to it.
        others_ns: the median sentinels of the other regimes.
    """

    sentinel_ns: float
    share: float
    left_out: int
    lost: tuple[str, ...] = ()
    others_ns: tuple[float, ...] = ()

    @property
    def in_words(self) -> str:
        """The states of the machine, the most frequent one first."""
        others = " and ".join(f"{ns:.1f} ns" for ns in self.others_ns)
        return (
            f"the handoff between near CPUs took {self.sentinel_ns:.1f} ns for {self.share:.0%} of "
            f"the time, and {others} otherwise"
        )


def read(folder: Path) -> tuple[dict[Cell, Reading], Regime]:
    """Return the readings of a survey's folder, and the regime that they were taken in.

    Raises:
        NativeError: there is no such folder, or no good trial in it.
    """
    if not folder.is_dir():
        raise NativeError(
            f"there is no folder {folder}: name one that 'locklab native survey' wrote"
        )
    head = provenance(folder) if (folder / PROVENANCE).exists() else {}
    if other := other_format(head, FORMAT):
        raise NativeError(f"{folder}: {other}\nhelp: survey the machine again, into a new folder")
    found = list(records(folder))
    speed = SpeedCheck(
        turns_ns(record["result"]["tallies"]) for record in found if record["result"]
    )
    good = [
        record
        for record in found
        if record["rejected"] is None
        and speed.warning(turns_ns(record["result"]["tallies"])) is None
    ]
    if not good:
        raise NativeError(
            f"{folder} has no good trial: {rejections(folder)}\n"
            "help: measure when the machine is idle, or with shorter trials (--duration 2ms)"
        )
    return regime_of(good)


def regime_of(good: list[dict[str, Any]]) -> tuple[dict[Cell, Reading], Regime]:
    """Return the readings of trials, those of the most common regime only."""
    values: dict[Cell, list[tuple[float, float]]] = defaultdict(list)
    for record in good:
        cell = Cell.of(record["cell"])
        value = value_ns(cell, record["result"]["tallies"])
        if value is not None:
            values[cell].append((record["at"], value))
    sentinels = _sentinels(values)
    sentinel_ns = [value for _, value in sentinels]
    groups = _groups(sentinel_ns)
    if len(set(groups)) < 2:
        groups = _groups(_smoothed(sentinel_ns))
    if len(set(groups)) < 2:
        middle = float(np.median([v for _, v in sentinels])) if sentinels else float("nan")
        readings = {cell: Reading.of(v for _, v in pairs) for cell, pairs in values.items()}
        return readings, Regime(middle, 1.0, 0)
    wanted = max(set(groups), key=groups.count)
    taken: dict[Cell, Reading] = {}
    left_out = 0
    times = [at for at, _ in sentinels]
    for cell, pairs in values.items():
        alone = len(set(cell.cpus)) == 1
        kept = [v for at, v in pairs if alone or _within(at, times, groups, wanted)]
        left_out += len(pairs) - len(kept)
        if kept:
            taken[cell] = Reading.of(kept)
    medians = {
        group: float(np.median([v for v, g in zip(sentinel_ns, groups, strict=True) if g == group]))
        for group in set(groups)
    }
    kept_kernels = {cell.kernel for cell in taken}
    return taken, Regime(
        medians.pop(wanted),
        groups.count(wanted) / len(groups),
        left_out,
        tuple(sorted({cell.kernel for cell in values} - kept_kernels)),
        tuple(sorted(medians.values())),
    )


def value_ns(cell: Cell, tallies: list[Mapping[str, Any]]) -> float | None:
    """Return a trial's value in ns; None if nothing was done in it."""
    counted = tallies[:1] if cell.kernel in ("write_shared", "chase") else tallies
    rate = sum(t["count"] / t["wall_ns"] for t in counted)
    return 1 / rate if rate > 0 else None


def _sentinels(values: Mapping[Cell, list[tuple[float, float]]]) -> list[tuple[float, float]]:
    """Return the handoff that was timed most often, in the order of time."""
    series = [v for c, v in values.items() if c.kernel == "handoff_cas" and c.threads == 2]
    longest: list[tuple[float, float]] = []
    for pairs in series:
        longest = max(longest, pairs, key=len)
    return sorted(longest)


def _smoothed(values: Sequence[float]) -> list[float]:
    """Return for each value the median of itself and its neighbours."""
    half = SMOOTHED // 2
    return [float(np.median(values[max(0, i - half) : i + half + 1])) for i in range(len(values))]


def _groups(values: list[float]) -> list[int]:
    """Number the values' groups: sorted, a step by more than ``APART`` begins the next."""
    if not values:
        return []
    order = np.argsort(values)
    ordered = np.asarray(values, np.float64)[order]
    steps = np.concatenate([[0], np.cumsum(ordered[1:] > APART * ordered[:-1])])
    groups = [0] * len(values)
    for position, group in zip(order, steps, strict=True):
        groups[position] = int(group)
    return groups


def _within(at: float, times: list[float], groups: list[int], wanted: int) -> bool:
    """Whether the sentinels before and after a moment are near and both of the wanted regime."""
    i = bisect_right(times, at)
    around = [j for j in (i - 1, i) if 0 <= j < len(times)]
    near = [j for j in around if abs(times[j] - at) <= SENTINEL_WITHIN_S]
    return len(near) == len(around) and all(groups[j] == wanted for j in near)
