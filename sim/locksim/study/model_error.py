"""The error of the model itself: how far its predictions were from published curves.

Costs that are not known move a result (:mod:`locksim.study.bands`). But with every cost known a
simulated machine would still not be the real one. How large this error is cannot be derived, so it
is learned: ``model_error.toml`` holds a factor for each class of question. With it the band holds
about 80 % of the points of datasets that were left out while it was learned (``make bands``;
docs/explain/uncertainty.md has the numbers).

The class follows from the program and its run, not from a name (:func:`class_of`). Some work is
given and has no error (:class:`Given`): a CPU's own, and that under a lock, which CPUs do one after
the other. No time can be shorter than this work. So a time is too long by the factor in its other
part only. It may be too short by the whole factor, since the model may be wrong about when the
waiting begins, but for what is under the lock: a lock that is always held makes no CPU wait longer
for it. If no line moves nothing waits, and a CPU's own work is all that is given.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from locksim.engine.counters import CPU_COUNTERS
from locksim.lang import Workload
from locksim.library.workloads.critical_section import CriticalSection
from locksim.library.workloads.lock_class import MILLI, LockClass
from locksim.study.bands import Effect

if TYPE_CHECKING:
    from locksim.study.simulation import Simulation

TABLE = Path(__file__).with_name("model_error.toml")
CAUSE = "model"
OWN, SLEEPING, QUEUE, SEVERAL, ONE = CLASSES = (
    "own lines",
    "a lock that sleeps",
    "a line for each CPU",
    "several lines",
    "one contended line",
)
STILL = 0.01
"""Line transfers per unit of work below which lines count as the CPUs' own."""
MOST_GIVEN = 0.98
"""Share of a time that is given at most: how exactly the work itself is known."""
BUSIEST = 0.4
"""Share of the transfers that one line has at least where a single line is contended."""


@dataclass(frozen=True, slots=True)
class ModelError:
    """The learned error of a class of questions.

    Arguments:
        factor: by which a time may be too short or too long. curves: from how many it was learned.
    """

    factor: float
    curves: int


@dataclass(frozen=True)
class Learned:
    """What was learned from the published curves.

    Arguments:
        classes: the error of each of ``CLASSES``.
        apart: which part of it two locks on one machine do not share (:func:`bands.ratio`).
    """

    classes: dict[str, ModelError]
    apart: float


@cache
def learned() -> Learned:
    """The committed table."""
    found = tomllib.loads(TABLE.read_text(encoding="utf-8"))
    classes = {
        name: ModelError(one["factor"], one["curves"]) for name, one in found["class"].items()
    }
    return Learned(classes, found["ratio"]["apart"])


def class_of(run: Simulation) -> str:
    """The class of a question: one of ``CLASSES``.

    - No line moves: own lines.
    - The program has a ``block``: a lock that sleeps.
    - CPUs wait, and more lines move than there are CPUs: a line for each CPU, as in a queue lock.
    - No single line has most of the transfers: several lines.
    """
    transfers = sum(one.lines for one in run.replications)
    assert not isinstance(transfers, int)  # a simulation has a replication
    every = float(transfers.sum())
    if every < STILL * _sum(run, "done"):
        return OWN
    if run.may_sleep:
        return SLEEPING
    if _sum(run, "pauses") and np.count_nonzero(transfers) > max(run.cpus, 3):
        return QUEUE
    return SEVERAL if transfers.max() < BUSIEST * every else ONE


@dataclass(frozen=True, slots=True)
class Given:
    """The shares of a run's time that are given work.

    Arguments:
        own: private work of each CPU, under locks or not.
        serial: work under a lock that CPUs do one after the other; 0 where none is known.
    """

    own: float
    serial: float


def given(run: Simulation, workload: Workload) -> Given:
    """The given shares of a run of a workload."""
    window = sum(one.window_ps for one in run.replications)
    own = _sum(run, "compute_ps") / (window * run.cpus)
    serial = _sum(run, "done") * _alone_ps(workload) / window
    return Given(min(own, MOST_GIVEN), min(serial, MOST_GIVEN))


def _alone_ps(workload: Workload) -> float:
    """Work of a section for which one lock is taken by one CPU alone; 0 where none is known."""
    match workload:
        case CriticalSection():
            return float(workload.hold_ps)
        case LockClass():
            writers = 1 - workload.read_milli / MILLI
            alike = workload.locks_milli / MILLI * workload.parts
            return float(writers * workload.hold_ps / alike)
    return 0.0


def model_effect(run: Simulation, workload: Workload, value: float, *, rate: bool) -> Effect:
    """How far the error of the model moves a result of a run.

    Arguments:
        run: its simulation, of this workload. value: the result.
        rate: whether more of it means less time.
    """
    kind = class_of(run)
    error = learned().classes[kind]
    slower, faster = slower_and_faster(error.factor, kind, given(run, workload))
    low, high = (value / slower, value * faster) if rate else (value / faster, value * slower)
    why = f"{kind}; learned from {error.curves} curves"
    return Effect(CAUSE, why, low, high)


def slower_and_faster(
    factor: float, kind: str, work: Given, *, seen: bool = False
) -> tuple[float, float]:
    """By which factors a time may be longer, and shorter, than its simulated value.

    Arguments:
        factor: of the class. kind: the class. work: what is given.
        seen: whether the waits were fitted to a report: then it is known whether they have begun,
            and no other part of the time is in doubt.
    """
    least = max(work.own, work.serial)
    never_longer = work.own if kind == OWN else work.serial
    if seen:
        never_longer = least
    return never_longer + (1 - never_longer) * factor, 1 / (least + (1 - least) / factor)


def _sum(run: Simulation, counter: str) -> float:
    column = CPU_COUNTERS.index(counter)
    return math.fsum(float(one.cpu[:, column].sum()) for one in run.replications)
