"""How a load is fitted to a row of a report: which column moves which number.

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
from collections.abc import Collection
from dataclasses import dataclass, replace

from locksim.study.bands import Range
from locksim.study.twin.errors import TwinError
from locksim.study.twin.evidence import Evidence
from locksim.study.twin.load import ClassLoad, has_readers
from lockui.numbers import significant

__all__ = ["COSTS", "SHARING", "Given", "Knob", "Open", "Plan", "plan"]

SHARING = "sharing"
"""The knob that moves both ``locks`` and ``at_random``: from 0, each CPU its own lock, over 1, all
at random, to more, where some locks are hotter."""
COSTS = "costs"
"""The knob that moves the machine's uncertain costs together, from 0, all low, to 1, all high."""
MOST_HELD = 1.15
"""A lock that is held for more of the window cannot be, whatever the rounding."""


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
        if held > given.locks * MOST_HELD:
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
