"""From readings to costs: measured, solved for, or assumed.

**Measured.** A probe of one CPU alone reads one cost of sim/PHYSICS.md:

    own_load                   l1_hit           own_store   store
    chase, the largest ring    memory           own_add     rmw
    wake less a system call    context_switch   own_fence   fence
    own_syscall                wake             own_pause   pause
    own_malloc, half each      alloc, free

The cost of a hit is that of one of many loads whose addresses are known (``own_load``). A program
seldom waits for the value, since the CPU predicts the branch that depends on it. When the value is
the next load's address, a program does wait: the chase through the smallest ring shows how long. No
cost of the profile stands for that.

**Solved for.** Two or more CPUs on one line read mixtures. These costs are those with which the
simulated loop (:mod:`.loops`) gives the same readings as the real one. They are found together, by
least squares on the logarithms of the readings:

    transfer, invalidate   handoff_cas, handoff_store; for each distance class
    tenure, tenure_plain   contended_add, with and without think time, against the handoffs,
                           between near CPUs
    shared_read,           write_shared and handoff_store with more than two CPUs; these two
    invalidate_each        costs are assumed on machines with fewer

No probe does all that a lock does at once. So two locks (:data:`FITTED_LOCKS`) on two CPUs are
fitted too; their readings are not predictions.

**Intervals.** The readings are resampled (bootstrap over trials); a measured cost follows at once,
a solved one by the inverse of the fit's linear approximation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

from locknative.calibration.loops import reading_ns
from locknative.calibration.readings import Reading
from locknative.errors import NativeError
from locknative.survey.cells import Cell
from locksim.machine import Machine

FITTED_LOCKS = ("clh", "ttas")
"""Locks that the fit has seen, on two CPUs without hold or think time."""
FITTED_PROBES = ("handoff_cas", "handoff_store", "contended_add", "write_shared")
SMALLEST_NS, LARGEST_NS = 0.1, 5000.0
"""Bounds of a solved cost."""
_Floats = npt.NDArray[np.float64]
Role = Literal["measured", "fitted", "derived", "assumed"]


@dataclass(frozen=True)
class CostNs:
    """One cost of the profile.

    Arguments:
        value, low, high: in ns; the latter two are the 95 % interval, equal to ``value`` where
            nothing was measured.
        source: which readings it comes from.
        trials: how many trials these are together, 0 for an assumed cost.
    """

    value: float
    low: float
    high: float
    source: str
    role: Role
    trials: int = 0


@dataclass(frozen=True)
class Fit:
    """The result of a fit.

    Arguments:
        costs: name → cost.
        cells: the readings that it has seen, as measured and on the fitted machine, in ns.
        error: root mean square of the logarithms' differences.
    """

    costs: dict[str, CostNs]
    cells: dict[Cell, tuple[float, float]] = field(default_factory=dict)
    error: float = 0.0


def measured(readings: Mapping[Cell, Reading]) -> dict[str, CostNs]:
    """Return the costs that are readings.

    Raises:
        NativeError: a reading is missing.
    """
    rings = sorted(
        (c for c in readings if c.kernel == "chase" and c.threads == 1), key=lambda c: c.option
    )
    if not rings:
        raise _missing("chase")
    costs = {
        "memory.node": _of(readings[rings[-1]], f"chase through {rings[-1].option} KiB"),
    }
    for name, probe in (
        ("l1_hit", "own_load"),
        ("store", "own_store"),
        ("rmw", "own_add"),
        ("fence", "own_fence"),
        ("pause", "own_pause"),
    ):
        costs[name] = _of(_one(readings, probe), probe)
    pair = _one(readings, "own_malloc")
    for name in ("alloc", "free"):
        costs[name] = _of(pair, "own_malloc, half of the pair", times=0.5, role="derived")
    syscall = _one(readings, "own_syscall")
    costs["wake"] = _of(syscall, "own_syscall: what waking costs the waker, at least")
    wakes = [r for c, r in readings.items() if c.kernel == "wake"]
    if wakes:
        shortest = min(wakes, key=lambda r: r.value_ns)
        costs["context_switch"] = _of(
            shortest, "wake, one way, less own_syscall", less=syscall.value_ns, role="derived"
        )
    return costs


def fit(
    machine: Machine,
    readings: Mapping[Cell, Reading],
    starts: Sequence[Mapping[str, float]],
    place: Callable[[Cell], Sequence[int]],
    turn_ns: float,
    source: str,
) -> Fit:
    """Find the costs with which the simulated machine gives the measured readings.

    Args:
        machine: with all other costs right.
        readings: to explain; each has the same weight.
        starts: where to begin the search: the same names of costs in each, in ns.
        place: returns a cell's CPUs on the machine.
        turn_ns: time of one iteration of private work.
        source: text for the costs.
    """
    from scipy.optimize import fmin

    cells = list(readings)
    names = list(starts[0])
    wanted = np.log([readings[c].value_ns for c in cells])

    def simulated(logs: _Floats) -> _Floats:
        trial = with_ns(machine, dict(zip(names, np.exp(logs), strict=True)))
        return np.log([reading_ns(c, trial, turn_ns, placement=place(c)) for c in cells])

    def error(logs: _Floats) -> float:
        return float(np.sum((simulated(np.clip(logs, *bounds)) - wanted) ** 2))

    # Simulated readings have steps (a run grows by a whole operation), so slopes mislead. The
    # search does without: from the best places to begin, and once more from where the best ended.
    bounds = np.log(SMALLEST_NS), np.log(LARGEST_NS)
    begin = [np.log([max(SMALLEST_NS, start[n]) for n in names]) for start in starts]

    def search(logs: _Floats) -> _Floats:
        most = 100 * len(names)
        found, *_ = fmin(error, logs, xtol=1e-3, ftol=1e-6, maxfun=most, full_output=1, disp=0)
        return np.asarray(found, np.float64)

    best = min(map(search, sorted(begin, key=error)[:5]), key=error)
    logs = np.clip(search(best), *bounds)
    off = simulated(logs) - wanted
    spread = np.linalg.pinv(_slopes(simulated, logs)) @ np.array(
        [np.log(readings[c].resampled(i)) - wanted[i] for i, c in enumerate(cells)]
    )
    costs = {}
    trials = sum(len(r.trials) for r in readings.values())
    for i, name in enumerate(names):
        value = float(np.exp(logs[i]))
        low, high = np.exp(np.clip(logs[i] + np.quantile(spread[i], [0.025, 0.975]), *bounds))
        edge = " (at the search's bound)" if np.isclose(logs[i], bounds).any() else ""
        costs[name] = CostNs(
            value, min(value, float(low)), max(value, float(high)), source + edge, "fitted", trials
        )
    found = np.exp(wanted + off)
    pairs = {c: (readings[c].value_ns, float(f)) for c, f in zip(cells, found, strict=True)}
    return Fit(costs, pairs, float(np.sqrt(np.mean(off**2))))


def _slopes(simulated: Callable[[_Floats], _Floats], logs: _Floats) -> _Floats:
    """Return derivatives of the readings' logarithms by the costs', over more than a step."""
    wide = 0.1 * np.eye(len(logs))
    columns = [(simulated(logs + step) - simulated(logs - step)) / 0.2 for step in wide]
    return np.stack(columns, axis=1)


def with_ns(machine: Machine, costs_ns: Mapping[str, float]) -> Machine:
    """Return the machine with some costs, given in ns, in their place."""
    whole = {name: max(1, round(1000 * ns)) for name, ns in costs_ns.items()}
    return machine.with_costs(role="fitted", source="", **whole)


def _of(
    reading: Reading, source: str, *, times: float = 1, less: float = 0, role: Role = "measured"
) -> CostNs:
    """Return a cost that is a reading, or a simple function of one."""
    low, high = reading.interval_ns
    value, low, high = (
        max(SMALLEST_NS / 100, times * (ns - less)) for ns in (reading.value_ns, low, high)
    )
    return CostNs(value, low, high, source, role, len(reading.trials))


def _one(readings: Mapping[Cell, Reading], probe: str) -> Reading:
    for cell, reading in readings.items():
        if cell.kernel == probe:
            return reading
    raise _missing(probe)


def _missing(probe: str) -> NativeError:
    return NativeError(
        f"no good trial of the probe '{probe}': measure again, longer (--seconds) or when the "
        "machine is idle"
    )
