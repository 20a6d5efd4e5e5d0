"""Costs of which the probes read mixtures, solved for.

Two or more CPUs on one line read mixtures. The costs are those with which the simulated loop
(:mod:`.loops`) gives the same readings as the real one. They are found together, by least squares
on the logarithms of the readings:

    transfer, invalidate   handoff_cas, handoff_store; for each distance class
    tenure, tenure_plain   contended_add, with and without think time, against the handoffs,
                           between near CPUs
    shared_read,           write_shared and handoff_store with more than two CPUs; these two
    invalidate_each        costs are assumed on machines with fewer

No probe does all that a lock does at once. So two locks (:data:`FITTED_LOCKS`) on two CPUs are
fitted too; their readings are not predictions.

**Intervals.** The readings are resampled (bootstrap over trials); the costs follow by the inverse
of the fit's linear approximation.

**Readings left out.** How good a fit is shows in the readings that it has not seen. So each reading
is left out in turn, the costs are solved for from the others, and these predict it
(:meth:`Problem.left_out`). Nothing of the whole fit is used for that, not even as a place to begin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from locknative.calibration.costs import CostNs
from locknative.calibration.loops import OPERATIONS, reading_ns
from locknative.calibration.readings import Reading
from locknative.survey.cells import Cell
from locksim.machine import Machine, MachineError

FITTED_LOCKS = ("clh", "ttas")
"""Locks that the fit has seen, on two CPUs without hold or think time."""
FITTED_PROBES = ("handoff_cas", "handoff_store", "contended_add", "write_shared")
SMALLEST_NS, LARGEST_NS = 0.1, 5000.0
"""Bounds of a solved cost."""
BOUNDS = float(np.log(SMALLEST_NS)), float(np.log(LARGEST_NS))
BEGINNINGS = 5
"""From how many places the search begins; the readings of all places are simulated first."""
FINE, COARSE = 1e-3, 1e-2
"""Where a search ends, in logarithms of costs: a coarse one predicts a reading to a per cent."""
FEWEST_OPERATIONS = 50
"""Of a CPU, in a reading that the search simulates: all CPUs together do as many as two would, so
that a search on many CPUs takes no longer."""
_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Fit:
    """The result of a fit.

    Arguments:
        costs: name → cost.
        cells: the readings that it has seen, as measured and on the fitted machine, in ns.
        error: root mean square of the logarithms' differences.
        left_out: the same readings as measured and as the fit to all others predicts them, in ns;
            empty where no reading can be spared.
    """

    costs: dict[str, CostNs]
    cells: dict[Cell, tuple[float, float]] = field(default_factory=dict)
    error: float = 0.0
    left_out: dict[Cell, tuple[float, float]] = field(default_factory=dict)


@dataclass(frozen=True)
class Problem:
    """Costs to find: those with which the simulated machine gives the measured readings.

    Arguments:
        machine: with all other costs right.
        readings: to explain; each has the same weight.
        starts: where to begin the search: the same names of costs in each, in ns.
        place: returns a cell's CPUs on the machine.
        turn_ns: time of one iteration of private work.
    """

    machine: Machine
    readings: Mapping[Cell, Reading]
    starts: Sequence[Mapping[str, float]]
    place: Callable[[Cell], Sequence[int]]
    turn_ns: float

    def solve(self, source: str) -> Fit:
        """Return the costs, with intervals; ``source`` is their text in the profile."""
        cells, names = list(self.readings), list(self.starts[0])
        logs = self._search(cells, BEGINNINGS, FINE)
        logs = self._improve(logs, cells, FINE)
        off = self._off(logs, cells)
        resampled = [
            np.log(self.readings[c].resampled(i) / self.readings[c].value_ns)
            for i, c in enumerate(cells)
        ]
        spread = np.linalg.pinv(self._slopes(logs, cells)) @ np.array(resampled)
        costs = {}
        trials = sum(len(r.trials) for r in self.readings.values())
        for i, name in enumerate(names):
            value = float(np.exp(logs[i]))
            low, high = np.exp(np.clip(logs[i] + np.quantile(spread[i], [0.025, 0.975]), *BOUNDS))
            edge = " (at the search's bound)" if np.isclose(logs[i], BOUNDS).any() else ""
            ends = min(value, float(low)), max(value, float(high))
            costs[name] = CostNs(value, *ends, source + edge, "fitted", trials)
        pairs = {c: self._pair(c, float(o)) for c, o in zip(cells, off, strict=True)}
        return Fit(costs, pairs, float(np.sqrt(np.mean(off**2))))

    def left_out(self) -> dict[Cell, tuple[float, float]]:
        """Return each reading, in ns, and what the costs that fit all others predict for it.

        Nothing is returned where the others are fewer than the costs.
        """
        cells = list(self.readings)
        if len(cells) <= len(self.starts[0]):
            return {}
        found = {}
        for cell in cells:
            logs = self._search([other for other in cells if other != cell], 1, COARSE)
            found[cell] = self._pair(cell, float(self._off(logs, [cell])[0]))
        return found

    def _pair(self, cell: Cell, off: float) -> tuple[float, float]:
        measured = self.readings[cell].value_ns
        return measured, float(measured * np.exp(off))

    def _off(self, logs: _Floats, cells: Sequence[Cell]) -> _Floats:
        """Return the logarithms of simulated over measured readings.

        They are infinite where the costs make no machine, such as a far transfer below a near one.
        """
        costs = dict(zip(self.starts[0], np.exp(logs), strict=True))
        try:
            machine = with_ns(self.machine, costs)
        except MachineError:
            return np.full(len(cells), np.inf)
        simulated = [
            reading_ns(
                cell,
                machine,
                self.turn_ns,
                placement=self.place(cell),
                operations=max(FEWEST_OPERATIONS, 2 * OPERATIONS // cell.threads),
            )
            for cell in cells
        ]
        return np.log(np.array(simulated) / [self.readings[c].value_ns for c in cells])

    @cached_property
    def _begin(self) -> list[tuple[_Floats, dict[Cell, float]]]:
        """The places where the search may begin, and how far each reading is off there."""
        cells = list(self.readings)
        places = [np.log([max(SMALLEST_NS, ns) for ns in start.values()]) for start in self.starts]
        return [
            (place, dict(zip(cells, self._off(place, cells).tolist(), strict=True)))
            for place in places
        ]

    def _search(self, cells: Sequence[Cell], beginnings: int, within: float) -> _Floats:
        """Return the costs' logarithms with the least squares over some of the readings."""

        def known(place: tuple[_Floats, dict[Cell, float]]) -> float:
            return sum(place[1][c] ** 2 for c in cells)

        near = sorted(self._begin, key=known)[:beginnings]
        ends = [self._improve(logs, cells, within) for logs, _ in near]
        return min(ends, key=lambda logs: self._error(logs, cells))

    def _improve(self, logs: _Floats, cells: Sequence[Cell], within: float) -> _Floats:
        """Search from one place.

        Simulated readings have steps (a run grows by a whole operation), so slopes mislead. The
        search does without.
        """
        from scipy.optimize import fmin

        def error(logs: _Floats) -> float:
            return self._error(logs, cells)

        most = 100 * len(logs)
        found, *_ = fmin(
            error, logs, xtol=within, ftol=within**2, maxfun=most, full_output=1, disp=0
        )
        return np.asarray(np.clip(found, *BOUNDS), np.float64)

    def _error(self, logs: _Floats, cells: Sequence[Cell]) -> float:
        return float(np.sum(self._off(np.clip(logs, *BOUNDS), cells) ** 2))

    def _slopes(self, logs: _Floats, cells: Sequence[Cell]) -> _Floats:
        """Return derivatives of the readings' logarithms by the costs', over more than a step.

        On one side of a cost there may be no machine; the other side counts then.
        """
        here = self._off(logs, cells)
        columns = []
        for wide in 0.1 * np.eye(len(logs)):
            sides = [(self._off(logs + step, cells) - here) / step.sum() for step in (wide, -wide)]
            known = [side for side in sides if np.isfinite(side).all()]
            columns.append(np.mean(known, axis=0) if known else np.zeros(len(cells)))
        return np.stack(columns, axis=1)


def with_ns(machine: Machine, costs_ns: Mapping[str, float]) -> Machine:
    """Return the machine with some costs, given in ns, in their place."""
    whole = {name: max(1, round(1000 * ns)) for name, ns in costs_ns.items()}
    return machine.with_costs(role="fitted", source="", **whole)
