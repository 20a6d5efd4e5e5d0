"""The load that agrees with a row of a report.

All knobs of a plan (:mod:`plan`) are looked for together (:mod:`root`). The columns that no knob
was meant for are not used, and are the test of the twin.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from locksim.machine import Machine
from locksim.study.bands import at_shares, uncertain
from locksim.study.twin.evidence import Evidence
from locksim.study.twin.load import ClassLoad, Measured, Setting, measure, replaced
from locksim.study.twin.plan import COSTS, SHARING, Plan
from locksim.study.twin.root import Root, Vector, find_root

__all__ = ["Agreement", "Twin", "agreement", "fit"]

TOLERANCE = 0.01
MOST_RUNS, MOST_AGAIN = 8, 2
"""Runs of a fit for each knob, and of one that starts near its end."""
LEAST_SECTIONS, MOST_SECTIONS, WAITS = 12_000, 40_000, 500
"""Of a run: enough that this many wait, within bounds."""
POOR, SATURATED = 0.05, 0.1
"""A residual from which on a fit tries a second start, with this share of the first think time."""
LEAST_CON = 1e-6
FAR = 0.15
"""A column that differs by more from the table is reported."""


@dataclass(frozen=True)
class Twin:
    """A fitted load.

    Arguments:
        load: the load. setting: where it ran. measured: its columns there. root: the search's end.
        costs: where the machine's uncertain costs are in their ranges, 0 to 1; None: not fitted.
    """

    load: ClassLoad
    setting: Setting
    measured: Measured
    root: Root
    costs: float | None


@dataclass(frozen=True, slots=True)
class Agreement:
    """A column of the table beside the twin's.

    Arguments:
        column: its name. table, twin: the values. used: whether the fit used it. far: they differ
            by more than the fit leaves or chance explains.
    """

    column: str
    table: float
    twin: float
    used: bool
    far: bool

    @property
    def difference(self) -> float:
        """How far the twin is off, as a share of the table's value."""
        return self.twin / self.table - 1


def fit(
    plan: Plan,
    setting: Setting,
    *,
    held: Mapping[str, float] | None = None,
    errors: Mapping[str, float] | None = None,
    near: Twin | None = None,
) -> Twin:
    """Fit a load.

    Arguments:
        plan: of the row. setting: where the load runs.
        held: other values of what is open. errors: how far each column's value is moved, as the
            logarithm of a factor. near: a twin from which the search starts.

    Raises:
        SimulationError: the program got stuck.
    """
    evidence, moved = plan.evidence, errors or {}
    setting = replace(setting, sections=_sections(evidence))
    base = replaced(plan.start if near is None else near.load, dict(held or {}))
    targets = {
        knob.column: evidence.columns[knob.column].value * math.exp(moved.get(knob.column, 0.0))
        for knob in plan.knobs
    }
    one_hold = "read_hold" not in targets

    def load_at(point: Vector) -> ClassLoad:
        numbers = {
            knob.name: knob.outward(float(x)) for knob, x in zip(plan.knobs, point, strict=True)
        }
        if SHARING in numbers:
            numbers |= _shared(numbers.pop(SHARING), plan.given.locks or 1.0)
        numbers.pop(COSTS, None)
        if one_hold:
            numbers["read_hold_ns"] = numbers.get("hold_ns", base.hold_ns)
        return replaced(base, numbers)

    def costs_at(point: Vector) -> float | None:
        names = [knob.name for knob in plan.knobs]
        return float(point[names.index(COSTS)]) if COSTS in names else None

    def setting_at(point: Vector) -> Setting:
        share = costs_at(point)
        if share is None:
            return setting
        return replace(setting, machine=_priced(setting.machine, share))

    last: dict[bytes, Measured] = {}
    weights = _weights(evidence, list(targets), setting)

    def residuals(point: Vector) -> Vector:
        found = last[point.tobytes()] = measure(load_at(point), setting_at(point))
        apart = [math.log(max(found.columns[c], LEAST_CON) / v) for c, v in targets.items()]
        return np.asarray(weights * np.array(apart))

    def search(start: ClassLoad) -> Root:
        return find_root(
            residuals,
            [knob.inward(_number(start, knob.name, plan.given.locks)) for knob in plan.knobs],
            [knob.inward(knob.low) for knob in plan.knobs],
            [knob.inward(knob.high) for knob in plan.knobs],
            tolerance=TOLERANCE,
            most=len(plan.knobs) * (MOST_RUNS if near is None else MOST_AGAIN),
            slopes=None if near is None else near.root.slopes,
        )

    root = search(base)
    if near is None and np.abs(root.residuals).max() > POOR:
        # The rate may be that of a line or a lock that is always in use: think less.
        other = search(replace(base, think_ns=base.think_ns * SATURATED))
        root = min(root, other, key=lambda one: float(np.linalg.norm(one.residuals)))
    found = last[root.at.tobytes()]
    return Twin(load_at(root.at), setting_at(root.at), found, root, costs_at(root.at))


def agreement(plan: Plan, twin: Twin) -> list[Agreement]:
    """The table's columns beside the twin's, those that the fit used first."""
    used = {knob.column for knob in plan.knobs}
    found = []
    for column, target in plan.evidence.columns.items():
        if column == "wait_max" and plan.evidence.waits > 3 * twin.measured.waits:
            continue  # the longest of more waits is longer
        value = twin.measured.columns[column]
        apart = abs(math.log(max(value, LEAST_CON) / target.value))
        far = apart > max(FAR, 2 * target.error)
        found.append(Agreement(column, target.value, value, column in used, far))
    return sorted(found, key=lambda one: not one.used)


def _sections(evidence: Evidence) -> int:
    """How many sections a run needs, so that enough of them wait."""
    con = evidence.columns["con"].value if "con" in evidence.columns else 1.0
    return round(min(max(LEAST_SECTIONS, WAITS / con), MOST_SECTIONS))


def _weights(evidence: Evidence, columns: Sequence[str], setting: Setting) -> Vector:
    """How much a column counts: less, the less exactly it is known in the table or in a run."""
    con = evidence.columns["con"].value if "con" in evidence.columns else 0.5
    chance = 1 / math.sqrt(max(1.0, con * setting.sections))
    noise = {name: TOLERANCE if "hold" in name or name == "rate" else chance for name in columns}
    return np.array(
        [TOLERANCE / max(TOLERANCE, noise[c], evidence.columns[c].error) for c in columns]
    )


def _shared(sharing: float, locks: float) -> dict[str, float]:
    """Who uses which of a known number of locks.

    Arguments:
        sharing: 0: each CPU its own; 1: all at random; above: some are hotter, as if there were
            fewer by a factor of e for each 1. locks: the number.
    """
    return {"at_random": min(sharing, 1.0), "locks": locks * math.exp(-max(0.0, sharing - 1.0))}


def _priced(machine: Machine, share: float) -> Machine:
    """The machine with all uncertain costs at a share of their ranges."""
    return at_shares(machine, dict.fromkeys(uncertain(machine), share))


def _number(load: ClassLoad, name: str, locks: float | None) -> float:
    """A knob's number in a load."""
    if name == COSTS:
        return 0.5
    if name != SHARING:
        return float(getattr(load, name))
    return load.at_random if load.at_random < 1 else 1 + math.log((locks or 1.0) / load.locks)
