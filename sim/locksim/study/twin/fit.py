"""The load that agrees with a row of a report.

Each column that a table has moves one number of the load, its knob:

==============  ===========================  ====================================================
think           rate, or contentions         the time between two sections
hold            HOLD, or WAIT without it     the work under the lock; line transfers come on top
spread          WAIT, where HOLD is known    how holds vary: a wait meets long holds more often
sharing         CON, where TOTAL is known    one lock: sections that follow one another at once;
                                             an unknown number of locks: this number;
                                             a known number: from an owner each to one hot lock
reads           readers among the waiting    the share of readers, where no total says it
costs           all of them together         where the profile's ranges leave the machine's costs:
                                             a saturated lock says how long a handoff takes
==============  ===========================  ====================================================

All knobs are looked for together (:mod:`root`). The other columns are not used, and are the test
of the twin. A number that no column moves is *open*: it has a range and is drawn from it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from locksim.machine import Machine
from locksim.study.bands import Range, at_shares, uncertain
from locksim.study.twin.errors import TwinError
from locksim.study.twin.evidence import Evidence
from locksim.study.twin.load import ClassLoad, Measured, Setting, has_readers, measure, replaced
from locksim.study.twin.root import Root, Vector, find_root
from lockui.numbers import significant

__all__ = [
    "SHARING",
    "Agreement",
    "Given",
    "Knob",
    "Open",
    "Plan",
    "Twin",
    "agreement",
    "fit",
    "plan",
]

TOLERANCE = 0.01
MOST_RUNS, MOST_AGAIN = 24, 8
"""Runs of a fit, and of one that starts near its end."""
LEAST_SECTIONS, MOST_SECTIONS, WAITS = 12_000, 40_000, 500
"""Of a run: enough that this many wait, within bounds."""
LEAST_CON = 1e-6
SHARING = "sharing"
"""The knob that moves both ``locks`` and ``at_random`` (:func:`_shared`)."""
COSTS = "costs"
"""The knob that moves the machine's uncertain costs together, from 0, all low, to 1, all high."""
FAR = 0.15
"""A column that differs by more from the table is told."""


@dataclass(frozen=True, slots=True)
class Knob:
    """A number of the load that a fit moves.

    Arguments:
        name: of :class:`ClassLoad`. column: that it is meant for. low, high: its bounds.
        log: whether it is moved by factors.
    """

    name: str
    column: str
    low: float
    high: float
    log: bool = False

    def inward(self, value: float) -> float:
        """The number as the search moves it."""
        value = min(max(value, self.low), self.high)
        return math.log(value) if self.log else value

    def outward(self, moved: float) -> float:
        """The number of the load."""
        return math.exp(moved) if self.log else moved


@dataclass(frozen=True, slots=True)
class Open:
    """A number that the table does not tell, with its range.

    Arguments:
        name: of :class:`ClassLoad`. value: in the nominal twin. low, high: of the range.
        why: it is open, and what would close it.
    """

    name: str
    value: float
    low: float
    high: float
    why: str

    def at(self, share: float) -> float:
        """The value at a share of the range, 0.5 being the nominal one."""
        found = Range(self.name, self.value, self.low, self.high, self.why).at(share)
        return round(found) if self.name == "lines" else found


LINES = Open("lines", 1, 0, 6, "--set lines=… closes it")
AGAIN = Open("again", 0.0, 0.0, 0.9, "CON does not tell it from who uses which")
SPREAD = Open("spread", 1.0, 0.0, 2.0, "--set spread=… closes it, 0 if all holds are equal")


@dataclass(frozen=True, slots=True)
class Given:
    """What somebody knows besides the table; None: not known.

    Arguments:
        locks: behind the row. owners: each CPU takes its own lock, or (False) any.
        reads: share of readers, where the table lacks it. spread: coefficient of variation of the
            holds. lines: that a section touches. arrivals: closed or open.
    """

    locks: float | None = None
    owners: bool | None = None
    reads: float | None = None
    spread: float | None = None
    lines: int | None = None
    arrivals: str = "closed"


@dataclass(frozen=True)
class Plan:
    """How a row is fitted.

    Arguments:
        evidence: the row. start: the load from which the search starts.
        knobs: what it moves. open: what stays open. given: what somebody knew besides.
    """

    evidence: Evidence
    start: ClassLoad
    knobs: tuple[Knob, ...]
    open: tuple[Open, ...]
    given: Given


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


def plan(evidence: Evidence, given: Given | None = None) -> Plan:
    """How a row is fitted.

    Arguments:
        evidence: the row. given: what somebody knows besides.

    Raises:
        TwinError: something must be given that the table does not tell.
    """
    given = given or Given()
    if given.locks is None and evidence.one_lock:
        given = replace(given, locks=1.0)
    _ask(evidence, given)
    columns = evidence.columns
    knobs = [Knob("think_ns", "rate" if "rate" in columns else "contentions", 1, 1e9, log=True)]
    waiting = next((name for name in ("wait", "waiting") if name in columns), None)
    holds = [name for name in ("hold", "read_hold") if name in columns]
    knobs += [Knob(f"{name}_ns", name, 1, 1e9, log=True) for name in holds]
    if not holds:
        knobs.append(Knob("hold_ns", waiting or "con", 1, 1e9, log=True))
    elif waiting is not None and given.spread is None:
        knobs.append(Knob("spread", waiting, 0.0, 3.0))
    if "con" in columns and (holds or waiting is not None):
        knobs.append(_sharing(given))
        if holds and waiting is not None:
            knobs.append(Knob(COSTS, "rate", 0.0, 1.0))
    if evidence.reads is None and given.reads is None and "read_part" in columns:
        knobs.append(Knob("reads", "read_part", 0.001, 0.999))
    moved = {knob.name for knob in knobs}
    left = [] if given.lines is not None else [LINES]
    if {"locks", SHARING} & moved:
        left.append(AGAIN)
    if given.spread is None and "spread" not in moved and not evidence.idle:
        left.append(SPREAD)
    return Plan(evidence, _start(evidence, given, moved), tuple(knobs), tuple(left), given)


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

    root = find_root(
        residuals,
        [knob.inward(_number(base, knob.name, plan.given.locks)) for knob in plan.knobs],
        [knob.inward(knob.low) for knob in plan.knobs],
        [knob.inward(knob.high) for knob in plan.knobs],
        tolerance=TOLERANCE,
        most=MOST_RUNS if near is None else MOST_AGAIN,
        slopes=None if near is None else near.root.slopes,
    )
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


def _ask(evidence: Evidence, given: Given) -> None:
    """Refuse a row that lacks something which cannot be found out from it."""
    columns = evidence.columns
    if given.locks is None and "con" not in columns and not evidence.idle:
        raise TwinError(
            f"{evidence.name}: {evidence.source} does not say how many locks are behind this row, "
            "and without acquisitions and contentions it cannot be found out\n"
            "help: --set locks=1 if it is one lock, or their number; "
            "'perf lock contention -l' shows each lock by itself"
        )
    readers = has_readers(evidence.lock)
    if readers and evidence.reads is None and given.reads is None:
        if "read_part" not in columns:
            raise TwinError(
                f"{evidence.name}: no row says how often it was taken for reading\n"
                "help: give the share of readers with --reads"
            )
    known = {"rate", "hold"} <= {*columns}
    if given.locks is not None and known and not readers:
        held = columns["rate"].value * columns["hold"].value / 1e9
        if held > given.locks * (1 + FAR):
            raise TwinError(
                f"{evidence.name}: held for {significant(held)} times the window, and "
                f"{significant(given.locks)} locks cannot be: the window or their number is wrong"
            )
    if given.owners and given.locks is None:
        raise TwinError("--set users=owner needs the number of locks: add --set locks=…")


def _sharing(given: Given) -> Knob:
    """The knob that CON moves."""
    if given.locks is None:
        return Knob("locks", "con", 1.0, 4096.0, log=True)
    if given.locks > 1 and given.owners is None:
        return Knob(SHARING, "con", 0.01, 1.0 + math.log(given.locks))
    return Knob("again", "con", 0.0, 0.98)


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


def _start(evidence: Evidence, given: Given, moved: Collection[str]) -> ClassLoad:
    """A load near the evidence: means as they are; what a knob moves begins in the middle."""
    columns, cpus = evidence.columns, evidence.cpus

    def value(name: str, other: float = 0.0) -> float:
        return columns[name].value if name in columns else other

    wait = value("wait", value("waiting"))
    hold = value("hold", value("read_hold", wait or 100.0))
    rate, con = value("rate"), value("con", 0.0 if evidence.idle else 0.5)
    if "rate" not in columns:
        # As in a queue that is served in order, with exponential holds.
        contentions = columns["contentions"].value
        queue = contentions * wait / 1e9 / (given.locks or 1.0)
        busy = max((math.sqrt(queue * queue + 4 * queue) - queue) / 2, 1e-3)
        rate = contentions / busy
        hold = min(wait, 1e9 * busy * (given.locks or 1.0) / rate)
    cycle_ns = 1e9 * cpus / rate
    locks = given.locks
    if locks is None:
        used = rate * hold / 1e9 / max(con, 1e-3)
        locks = float(cpus) if evidence.idle else min(max(1.0, used), 4096.0)
    if SHARING in moved:
        at_random = 0.5
    else:
        owners = given.owners if given.owners is not None else evidence.idle and locks >= cpus
        at_random = 0.0 if owners else 1.0
    return ClassLoad(
        evidence.lock,
        think_ns=max(cycle_ns - con * wait - hold, 0.05 * cycle_ns, 1.0),
        hold_ns=max(1.0, 0.8 * hold),
        read_hold_ns=max(1.0, 0.8 * value("read_hold", hold)),
        spread=given.spread if given.spread is not None else 0.5 if "spread" in moved else 1.0,
        reads=next(r for r in (evidence.reads, given.reads, value("read_part")) if r is not None),
        locks=locks,
        at_random=at_random,
        lines=round(LINES.value if given.lines is None else given.lines),
        arrivals=given.arrivals,
    )
