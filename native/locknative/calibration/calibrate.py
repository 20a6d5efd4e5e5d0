"""From a survey's folder to a machine: measured costs, then one fit after another, nearest first.

1. A cost that one probe reads alone is used as measured.
2. Between near CPUs, ``transfer.node``, ``invalidate.node``, ``tenure`` (line hold time) and
   ``tenure_plain`` are solved for. The jitter is a tenth of a handoff. Hold times of one length,
   or with a spread: what explains the readings best.
3. Each farther class, and SMT siblings, get their ``transfer``, ``invalidate`` and line hold time
   (``tenure_class``); the rest stays.
4. With more than two CPUs, ``occupancy.shared_read`` and ``invalidate_each`` follow.
5. With near and far CPUs, the rule by which a line serves its requests is chosen.
6. Each reading is left out in turn, and some locks are predicted: the expected error.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from locknative.calibration.arbitration import Rule, rule
from locknative.calibration.costs import CostNs, measured
from locknative.calibration.expected import Expected, check_cells, expected
from locknative.calibration.fit import FITTED_LOCKS, FITTED_PROBES, Fit, Problem
from locknative.calibration.profile import document, machine_of
from locknative.calibration.readings import Reading, Regime, read
from locknative.calibration.shape import Shape, shape_of
from locknative.errors import NativeError
from locknative.survey.cells import Cell, cpu_sets, probe_cells
from locknative.survey.folder import provenance
from locknative.survey.topology import Cpu, relation
from locksim.machine import Machine

NEAR = ("transfer.node", "invalidate.node", "tenure", "tenure_plain")
ROUND_NS = dict(zip(NEAR, (50.0, 50.0, 15.0, 5.0), strict=True))
"""Where the search begins; the assumed values on a machine with one CPU."""
HANDOFFS = ("handoff_cas", "handoff_store")
FITTED_THINKS = (0, 200)
"""Think times of ``contended_add``, in iterations, that the fit sees. Between them a core hides
much of the private work behind the miss, and the simulated core does not."""
SPREADS = (0.5, 1.0)
"""Spreads of ``tenure`` that are tried, beside none. Readings change little with a spread: a search
in small steps would follow their noise."""
SHARED_READ_NS = 10.0
JITTER_SHARE = 0.1
JITTER = (
    "a tenth of the shortest handoff, so that waiters do not fall into step; "
    "means cannot separate it from the transfer"
)
ONE_CPU = "one CPU only: nothing to measure, a round value"
TWO_CPUS = "fewer than three CPUs in reach: it cannot be separated from the others"

Say = Callable[[str], None]


@dataclass(frozen=True)
class Calibration:
    """A calibrated machine, and how it was found.

    Arguments:
        machine: the profile.
        document: the same as the parsed TOML would be.
        shape: which real CPU is which.
        readings: the readings that it was made from.
        regime: the state of the machine that they belong to.
        fits: the fits by the names of the costs that they found.
        expected: how far off predictions are expected to be; None where nothing could be left out.
        rule: which waiting request is served next; None where no probe shows it.
        missing: probes that this machine could have run, and of which there is no reading.
    """

    machine: Machine
    document: dict[str, Any]
    shape: Shape
    readings: dict[Cell, Reading]
    regime: Regime
    fits: dict[str, Fit]
    expected: Expected | None = None
    rule: Rule | None = None
    missing: tuple[str, ...] = ()


def calibration_cells(cpus: Sequence[Cpu], llc_kib: int = 0, memory_kib: int = 0) -> list[Cell]:
    """Return the cells to measure: all probes, the locks that the fit sees, those that check it."""
    sets = cpu_sets(cpus)
    pairs = [chosen for chosen in sets if len(chosen) == 2][:1]
    locks = [Cell(lock, pair) for pair in pairs for lock in FITTED_LOCKS]
    locks += [cell for pair in pairs for cell in check_cells(pair)]
    return [*probe_cells(cpus, llc_kib, memory_kib), Cell("none", sets[0]), *locks]


def calibrate(folder: Path, name: str, say: Say = lambda text: None) -> Calibration:
    """Make a machine from a survey's folder.

    Args:
        folder: as :mod:`locknative.survey.folder` describes it.
        name: the profile's name.
        say: called with a text for each step.

    Raises:
        NativeError: trials are missing.
        MachineError: the measured costs do not make a valid profile.
    """
    readings, regime = read(folder)
    return calibrate_readings(readings, regime, provenance(folder), name, say)


def calibrate_readings(
    readings: dict[Cell, Reading],
    regime: Regime,
    origin: Mapping[str, Any],
    name: str,
    say: Say = lambda text: None,
) -> Calibration:
    """Make a machine from readings; ``origin`` is a survey's provenance. Errors: as above."""
    cpus = [Cpu(**cpu) for cpu in origin["cpus"]]
    _check_regime(regime, calibration_cells(cpus))
    handoffs = {
        (c.cpus[0], c.cpus[1]): r.value_ns
        for c, r in readings.items()
        if c.kernel == "handoff_cas" and c.threads == 2
    }
    shape = shape_of(cpus, handoffs)
    costs = _first_costs(readings, shape)
    turn_ns = _turn_ns(readings)
    protocol = _threads_of_a_core(readings, shape)
    head = {
        "date": origin["date"],
        "cpu_model": origin["cpu_model"],
        "kernel": origin["kernel"],
        "virtualised": origin["virtualised"],
        "turn_ns": turn_ns,
        "cpus": list(shape.cpus),
        "note": _note(regime),
    }
    found = document(name, shape, costs, head, protocol)
    fits: dict[str, Fit] = {}
    for free, cells, source in _steps(readings, cpus, shape):
        say(f"solving for {', '.join(free)} from {len(cells)} readings")
        starts = _starts(free, cells)
        missing = {n: replace(costs["tenure"], role="assumed") for n in free if n not in costs}
        machine = machine_of(document(name, shape, {**costs, **missing}, head, protocol), name)
        problem = Problem(machine, cells, starts, lambda c: shape.place(c.cpus), turn_ns)
        problem, done = _solve(problem, source)
        say(f"leaving out one of {len(cells)} readings after another")
        fits[", ".join(free)] = replace(done, left_out=problem.left_out())
        costs = _follow({**costs, **done.costs}, shape)
        found = document(name, shape, costs, head, protocol)
    served = rule(machine_of(found, name), readings, lambda c: shape.place(c.cpus), turn_ns)
    if served is not None:
        protocol |= served.settings
        found = document(name, shape, costs, head, protocol)
    machine = machine_of(found, name)
    error = expected(fits.values(), readings, machine)
    if error is not None:
        head |= {"expected_error": _provenance(error)}
        found = document(name, shape, costs, head, protocol)
        machine = machine_of(found, name)
    kernels = {cell.kernel for cell in readings if cell.threads > 1}
    missing_probes = {c.kernel for c in calibration_cells(cpus) if c.threads > 1} - kernels
    return Calibration(
        machine, found, shape, readings, regime, fits, error, served, tuple(sorted(missing_probes))
    )


def _solve(problem: Problem, source: str) -> tuple[Problem, Fit]:
    """Solve a problem; where ``tenure`` is among its costs, with the spread that fits best.

    Each spread begins where the fit without one has ended.
    """
    done = problem.solve(source)
    if "tenure" not in done.costs:
        return problem, done
    ends = {name: cost.value for name, cost in done.costs.items()}
    found = [(problem, done)]
    for spread in SPREADS:
        machine = problem.machine.with_spread(tenure=spread)
        tried = replace(problem, machine=machine, starts=[ends]).solve(source)
        note = f"{source}; the spread is that of 0, {', '.join(map(str, SPREADS))} that fits best"
        held = replace(tried.costs["tenure"], spread=spread, source=note)
        costs = {**tried.costs, "tenure": held}
        found.append((replace(problem, machine=machine), replace(tried, costs=costs)))
    return min(found, key=lambda one: one[1].error)


def _turn_ns(readings: Mapping[Cell, Reading]) -> float:
    """Return the time of one iteration of private work on a CPU by itself."""
    return next(
        r.value_ns for c, r in readings.items() if c.kernel == "own_spend" and c.threads == 1
    )


def _threads_of_a_core(readings: Mapping[Cell, Reading], shape: Shape) -> dict[str, Any]:
    """Return ``shared_issue_percent``, if two threads of a core were measured together."""
    both = [r.value_ns for c, r in readings.items() if c.kernel == "own_spend" and c.threads == 2]
    if not both or shape.threads_per_core == 1:
        return {}
    slower = 2 * min(both) / _turn_ns(readings)
    return {"shared_issue_percent": max(100, round(100 * slower))}


def _provenance(error: Expected) -> dict[str, Any]:
    """Return the table ``[origin.expected_error]``."""
    return {
        "value": round(error.error, 3),
        "low": round(error.low, 3),
        "high": round(error.high, 3),
        "left_out": len(error.left_out),
        "checked": len(error.checked),
    }


def _first_costs(readings: Mapping[Cell, Reading], shape: Shape) -> dict[str, CostNs]:
    """Return the measured costs, and round values for those that are not solved yet."""
    costs = measured(readings)
    costs.setdefault("context_switch", _assumed(1500.0, ONE_CPU))
    for name in NEAR:
        costs[name] = _assumed(ROUND_NS[name], ONE_CPU)
    one_way = min((r.value_ns for c, r in readings.items() if c.kernel in HANDOFFS), default=50.0)
    costs["jitter"] = _assumed(JITTER_SHARE * one_way, JITTER)
    costs["invalidate_each"] = _assumed(0.0, TWO_CPUS)
    costs["occupancy.shared_read"] = _assumed(SHARED_READ_NS, TWO_CPUS)
    for name in shape.classes[1:]:
        costs[f"memory.{name}"] = replace(
            costs["memory.node"],
            source="no probe at this distance: the same as near memory",
            role="assumed",
        )
    return _follow(costs, shape)


def _follow(costs: dict[str, CostNs], shape: Shape) -> dict[str, CostNs]:
    """Let a cost that is not solved yet follow the nearer class, in the profile's order."""
    for kind in ("transfer", "invalidate"):
        near = costs[f"{kind}.node"]
        for name in shape.classes[1:]:
            near = costs[f"{kind}.{name}"] = _at_least(costs.get(f"{kind}.{name}"), near)
        if "core" in shape.relations:
            core = costs.get(f"{kind}.core", costs["l1_hit"])
            costs[f"{kind}.core"] = replace(
                core, value=min(core.value, costs[f"{kind}.node"].value)
            )
    return costs


def _at_least(cost: CostNs | None, near: CostNs) -> CostNs:
    if cost is not None and cost.value >= near.value:
        return cost
    return replace(near, source="not below that of the nearer class", role="assumed", trials=0)


def _steps(
    readings: Mapping[Cell, Reading], cpus: Sequence[Cpu], shape: Shape
) -> list[tuple[tuple[str, ...], dict[Cell, Reading], str]]:
    """Return the costs to solve for, and from which readings, in order."""
    by_number = {cpu.number: cpu for cpu in cpus}
    seen = {cell: reading for cell, reading in readings.items() if _is_fitted(cell)}
    pairs = {cell: reading for cell, reading in seen.items() if cell.threads == 2}
    steps = []
    for name in sorted(shape.relations, key=lambda n: n == "core"):
        kinds = shape.relations[name]
        cells = {
            cell: reading
            for cell, reading in pairs.items()
            if relation(by_number[cell.cpus[0]], by_number[cell.cpus[1]]) in kinds
        }
        free: tuple[str, ...] = NEAR
        if name != "node":
            free = (f"transfer.{name}", f"invalidate.{name}")
            runs = {c: r for c, r in cells.items() if c.kernel == "contended_add"}
            cells = {c: r for c, r in cells.items() if c.kernel in HANDOFFS} | runs
            if runs:
                free = (*free, f"tenure_class.{name}")
        if cells:
            steps.append((free, _typical(cells), _source(cells)))
    shared = ("handoff_store", "write_shared")
    wide = {c: reading for c, reading in seen.items() if c.threads > 2 and c.kernel in shared}
    if wide:
        steps.append((("occupancy.shared_read", "invalidate_each"), wide, _source(wide)))
    return steps


def _is_fitted(cell: Cell) -> bool:
    """Return whether costs are solved from a cell."""
    return (
        (cell.kernel in FITTED_PROBES or cell.kernel in FITTED_LOCKS)
        and cell.loop == "throughput"
        and not cell.read
        and (cell.kernel != "contended_add" or cell.think in FITTED_THINKS)
        and len(set(cell.cpus)) == cell.threads > 1
    )


def _typical(cells: Mapping[Cell, Reading]) -> dict[Cell, Reading]:
    """Return one cell for each kernel and mix: the one with the median reading of all pairs."""
    alike: dict[Cell, list[tuple[float, Cell]]] = {}
    for cell, reading in cells.items():
        alike.setdefault(cell._replace(cpus=()), []).append((reading.value_ns, cell))
    chosen = (sorted(group)[len(group) // 2][1] for group in alike.values())
    return {cell: cells[cell] for cell in chosen}


def _starts(free: Sequence[str], cells: Mapping[Cell, Reading]) -> list[dict[str, float]]:
    """Return places to begin the search, as shares of the shortest handoff.

    A handoff by compare-and-swap is a transfer and a line hold time, so these two are its parts.
    """
    one_way = min((r.value_ns for c, r in cells.items() if c.kernel in HANDOFFS), default=100.0)
    if free == NEAR:
        shares: list[tuple[float, ...]] = [
            (1 - kept, invalidate, kept, plain * kept)
            for kept in (0.1, 0.3, 0.5, 0.7)
            for invalidate in (0.2, 0.5, 1.0)
            for plain in (0.05, 0.3, 1.0)
        ]
    else:
        shares = list(product((0.03, 0.3, 1.0, 3.0), repeat=len(free)))
    return [dict(zip(free, [one_way * s for s in each], strict=True)) for each in shares]


def _source(cells: Mapping[Cell, Reading]) -> str:
    return "solved from " + ", ".join(sorted({cell.kernel for cell in cells}))


def _assumed(value: float, source: str) -> CostNs:
    return CostNs(value, value, value, source, "assumed")


def _check_regime(regime: Regime, cells: Sequence[Cell]) -> None:
    """Check that the probes were measured in the state in which most trials were.

    Raises:
        NativeError: no trial of some of them was.
    """
    lost = sorted({cell.kernel for cell in cells}.intersection(regime.lost))
    if lost:
        raise NativeError(
            f"the machine changed between the probes and the locks: {regime.in_words}. No trial of "
            f"{', '.join(lost)} was made in the more frequent state\n"
            "help: survey again, into a new folder"
        )


def _note(regime: Regime) -> str:
    if regime.share == 1:
        return "one regime throughout"
    return (
        f"{regime.in_words}; the trials used are those of the first state; "
        f"{regime.left_out} trials are left out"
    )
