"""What a change would do: the twin before and after, with the band of what is not known.

Three things are not known: costs of the machine (those with a range in its profile), numbers that
the table leaves open, and the columns themselves, within rounding and chance. Each *draw* takes all
of them at once, at a point of a Latin hypercube, fits the load again, and simulates it before and
after. So a cost that is higher in a draw makes the work under the lock shorter there: the band
holds what the report leaves open, not what it has settled.

A further draw falls into the span of n draws with probability (n - 1) / (n + 1): nine draws make a
band of 80 %. The chance of two runs, and what the fit left of the columns, widen it. So does the
error of the model (:mod:`locksim.study.model_error`) in the time that CPUs wait or move lines,
before and after a change: the part of it that two runs on one machine do not share. No such error
was learned for CON, waits and transfers.

The report bounds a prediction. If all waits of a row went away, and what a change saves of the
holds and of the line transfers besides, so much time would be left; a twin that gains more waits
more than the report does (:attr:`Prediction.most`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist

import numpy as np

from locksim.machine import Machine
from locksim.study.bands import Band, Effect, bands, drawn
from locksim.study.hypercube import latin_hypercube
from locksim.study.model_error import CAUSE, learned, slower_and_faster
from locksim.study.twin.change import Change, changes_of
from locksim.study.twin.evidence import Evidence
from locksim.study.twin.fit import TOLERANCE, Twin, fit
from locksim.study.twin.load import Measured, measure
from locksim.study.twin.plan import Plan

__all__ = ["DRAWS", "QUANTITIES", "Prediction", "Predictions", "predict"]

DRAWS = 9
SEED = 2
"""Of the points at which columns and open numbers are drawn."""
SAME = 0.03
"""A factor nearer to 1 is no effect; a band that lies beyond it is one."""
Z80 = 1.28
"""Standard deviations to either side that hold 80 % of a normal distribution."""

QUANTITIES: dict[str, tuple[str, str, Callable[[Measured], float]]] = {
    "per_second": ("throughput", "1/s", lambda m: m.per_second),
    "section_ns": ("time a section", "ns", lambda m: m.section_ns),
    "rate": ("acquisitions", "1/s", lambda m: m.columns["rate"]),
    "contentions": ("contended", "1/s", lambda m: m.columns["contentions"]),
    "con": ("CON", "", lambda m: m.columns["con"]),
    "wait_ns": ("WAIT", "ns", lambda m: m.columns["wait"]),
    "transfers": ("line transfers a section", "", lambda m: m.transfers),
    "transfer_ns": ("time in line transfers a section", "ns", lambda m: m.transfer_ns),
}
"""What is predicted: title, unit, and where it stands."""


@dataclass(frozen=True)
class Prediction:
    """A change and what it would do.

    Arguments:
        change: its name; empty: the load as it is. cpus: on which it runs.
        bands: of each quantity. factor: throughput over that of the load as it is.
        draws: behind the bands. most: the factor that the report's waits allow; None: no bound is
            known. excess: the predicted factor is above it by more than chance.
    """

    change: str
    cpus: int
    bands: dict[str, Band]
    factor: Band
    draws: int = DRAWS
    most: float | None = None
    excess: bool = False

    @property
    def effect(self) -> str:
        """The change of throughput in a word or two, by the whole band as it is printed.

        More draws widen a band: they make an effect or none of it doubtful, never one of the other.
        """
        if self.draws < DRAWS:
            return "too few draws"
        return effect_of(round(self.factor.low, 2), round(self.factor.high, 2))


def effect_of(low: float, high: float) -> str:
    """What a band of throughput's factor says of the change, in a word or two."""
    if 1 - SAME <= low and high <= 1 + SAME:
        return "no effect"
    if low <= 1 + SAME and high >= 1 - SAME:
        return "may have no effect"
    return "faster" if low > 1 else "slower"


@dataclass(frozen=True)
class Predictions:
    """The load as it is, its changes, and the draws behind their bands.

    Arguments:
        before: the load as it is. after: the changes. twins: of the draws.
    """

    before: Prediction
    after: list[Prediction]
    twins: list[Twin]

    def interval(self, value: Callable[[Twin], float]) -> tuple[float, float] | None:
        """The span of a number over the draws; None without draws."""
        found = [value(twin) for twin in self.twins]
        return (min(found), max(found)) if found else None


def predict(
    plan: Plan,
    twin: Twin,
    what_ifs: Sequence[str],
    *,
    draws: int = DRAWS,
    progress: Callable[[str, float], None] | None = None,
) -> Predictions:
    """Simulate changes of a fitted load.

    Arguments:
        plan: of the fit. twin: the fitted load. what_ifs: as :func:`changes_of` reads them.
        draws: for the bands; fewer than three: none.
        progress: is told what runs, and the share that is done.

    Raises:
        TwinError: something is not a change.
        MachineError: more CPUs than the machine has.
        SimulationError: a program got stuck.
    """
    machine = twin.setting.machine
    causes = drawn(machine, draws)
    machines = [one for cause in causes for one in cause.machines]
    points = latin_hypercube(len(plan.open) + len(plan.evidence.columns), len(machines), SEED)
    runs = 1 + len(machines)
    twins: list[Twin] = []
    answers: dict[int, dict[tuple[str, str], float]] = {}

    if progress is not None:
        progress("twin", 0.0)
    ran = _runs(twin, what_ifs)
    nominal = _values(ran)
    for k, (moved, point) in enumerate(zip(machines, points, strict=True)):
        if progress is not None:
            progress(f"draw {k + 1} of {len(machines)}", (1 + k) / runs)
        found = _refitted(plan, twin, moved, point, k)
        twins.append(found)
        answers[id(moved)] = _values(_runs(found, what_ifs))
    off = _looseness(twin)
    besides = {
        key: [
            Effect("fit", "chance, and columns that nearly agree", value / off, value * off),
            *_model_effects(ran, *key, value),
        ]
        for key, value in nominal.items()
        if key != ("", "factor")
    }
    banded = bands(
        causes, lambda on: answers[id(on)], nominal, nominal, besides if causes else None
    )
    changes = {one.name: one for one in _all(twin, what_ifs)}
    made = {
        name: Prediction(
            name,
            change.cpus,
            {quantity: banded[name, quantity] for quantity in QUANTITIES},
            banded[name, "factor"],
            len(twins),
            most := _most(plan.evidence, ran[""], ran[name]),
            most is not None and nominal[name, "factor"] > most * off,
        )
        for name, change in changes.items()
    }
    return Predictions(made[""], [one for name, one in made.items() if name], twins)


def _all(twin: Twin, what_ifs: Sequence[str]) -> list[Change]:
    load, cpus = twin.load, twin.setting.cpus
    after = [change for text in what_ifs for change in changes_of(text, load, cpus)]
    return [Change("", load, cpus), *after]


def _runs(twin: Twin, what_ifs: Sequence[str]) -> dict[str, Measured]:
    """The load as it is, and each changed one, by the change's name."""
    changes = [one for one in _all(twin, what_ifs) if one.name]
    return {"": twin.measured} | {
        one.name: measure(one.load, replace(twin.setting, cpus=one.cpus)) for one in changes
    }


def _values(runs: Mapping[str, Measured]) -> dict[tuple[str, str], float]:
    found: dict[tuple[str, str], float] = {}
    for change, run in runs.items():
        for name, (_, _, of) in QUANTITIES.items():
            found[change, name] = of(run)
        found[change, "factor"] = run.per_second / runs[""].per_second
    return found


def _model_effects(
    runs: Mapping[str, Measured], change: str, quantity: str, value: float
) -> list[Effect]:
    """How far the error of the model moves a quantity that follows from time, after a change.

    The load as it is agrees with its report, so it has none.
    """
    if not change or quantity not in ("per_second", "rate", "section_ns", "factor"):
        return []
    found = []
    for name, run in ((CAUSE, runs[change]), (f"{CAUSE}, before", runs[""])):
        error = learned().classes[run.kind]
        less, more = slower_and_faster(error.factor, run.kind, run.work, seen=True)
        if (name == CAUSE) == (quantity == "section_ns"):
            less, more = more, less
        low, high = value / less ** learned().apart, value * more ** learned().apart
        found.append(Effect(name, f"{run.kind}; learned from {error.curves} curves", low, high))
    return found


def _most(evidence: Evidence, before: Measured, after: Measured) -> float | None:
    """The factor of throughput that the report's waits allow, and the time that a change saves.

    Beside waits a change saves holds, and line transfers outside of both.
    """
    if evidence.waited_ns is None:
        return None
    saved = max(0.0, before.held_ns - after.held_ns)
    outside = before.outside_ns - after.outside_ns
    saved += max(0.0, min(before.transfer_ns - after.transfer_ns, outside))
    left = 1 - evidence.waiting - saved / before.section_ns
    return after.cpus / before.cpus / left if left > 0 else None


def _looseness(twin: Twin) -> float:
    """The factor within which a fitted run is known: by its fit, and by the chance of two runs."""
    fitted = max(TOLERANCE, float(np.abs(twin.root.residuals).max()))
    chance = Z80 * math.sqrt(2 / twin.setting.sections)
    return 1 + math.hypot(fitted, chance)


def _refitted(plan: Plan, twin: Twin, machine: Machine, point: Sequence[float], k: int) -> Twin:
    """The load fitted again, at a point of what is not known."""
    opened = {one.name: one.at(share) for one, share in zip(plan.open, point, strict=False)}
    columns = plan.evidence.columns.items()
    errors = {
        name: target.error * NormalDist().inv_cdf(min(max(share, 0.02), 0.98))
        for (name, target), share in zip(columns, point[len(plan.open) :], strict=True)
    }
    setting = replace(twin.setting, machine=machine, seed=twin.setting.seed + 1 + k)
    return fit(plan, setting, held=opened, errors=errors, near=twin)
