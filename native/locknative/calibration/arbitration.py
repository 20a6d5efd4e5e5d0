"""Which of the requests that wait for a line is served next: the rule that explains the readings.

``served_next`` gives two times from one handoff of a contended line to the next. In the second,
handoffs inside a group of near CPUs count twice; so the ratio of the two is 1 plus the share of
handoffs that stay in a group.

A rule is not a cost that a search can move in small steps. So each rule of sim/PHYSICS.md is tried,
and the one nearest to both readings is taken: the least sum of squares of the logarithms. The
simulated times are means over a few seeds, since a line that is first come first served repeats the
order in which the CPUs happened to come.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from locknative.calibration.loops import reading_ns
from locknative.calibration.readings import Reading
from locknative.survey.cells import Cell
from locksim.machine import Machine

PASSES = (1, 2, 4, 8, 16, 32)
RULES: tuple[dict[str, Any], ...] = (
    {"arbitration": "fifo"},
    {"arbitration": "random"},
    *({"arbitration": "near", "arbitration_passes": n} for n in PASSES),
)
"""The settings of ``[protocol]`` that are tried."""
SEEDS = (1, 2, 3)


@dataclass(frozen=True)
class Rule:
    """The rule found.

    Arguments:
        settings: of ``[protocol]``.
        cells: the readings, as measured and as simulated under the rule, in ns.
        error: root mean square of the logarithms' differences.
        others: the same for every rule that was tried, by its name and passes.
    """

    settings: dict[str, Any]
    cells: dict[Cell, tuple[float, float]]
    error: float
    others: dict[str, float]


def rule(
    machine: Machine,
    readings: Mapping[Cell, Reading],
    place: Callable[[Cell], Sequence[int]],
    turn_ns: float,
) -> Rule | None:
    """Return the rule that explains the readings of ``served_next``; None where there is none.

    Args:
        machine: with all costs; its own rule does not matter.
        readings: of all cells.
        place: returns a cell's CPUs on the machine.
        turn_ns: time of one iteration of private work.
    """
    cells = [cell for cell in readings if cell.kernel == "served_next"]
    if not cells:
        return None
    found = []
    for settings in RULES:
        bare = machine.with_protocol(arbitration="fifo", arbitration_passes=None)
        trial = bare.with_protocol(**settings)
        pairs = {}
        for cell in cells:
            times = [
                reading_ns(cell, trial, turn_ns, placement=place(cell), seed=seed) for seed in SEEDS
            ]
            pairs[cell] = readings[cell].value_ns, float(np.exp(np.mean(np.log(times))))
        logs = [np.log(simulated / measured) for measured, simulated in pairs.values()]
        found.append((float(np.sqrt(np.mean(np.square(logs)))), settings, pairs))
    error, settings, pairs = min(found, key=lambda one: one[0])
    others = {" ".join(map(str, tried.values())): off for off, tried, _ in found}
    return Rule(settings, pairs, error, others)
