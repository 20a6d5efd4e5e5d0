"""Simulated: values and shapes of curves, in simulated time only.

A lock that violates mutual exclusion is fast. So a simulation with a violation earns nothing,
however good its numbers are. This also catches a lock that behaves only on the few CPUs of the
checker. For the same reason the answers of a decision cache are compared with seals
(:mod:`locksim.library.avc.avc_of`).
"""

from __future__ import annotations

import dataclasses
import functools
import math
from collections.abc import Callable

from lockgrader.checks.curve import UNITS, curve_of
from lockgrader.checks.submitted import Submitted
from lockgrader.finding import Finding, found, row
from lockgrader.lab import Band, LabError, Measure, Measured, Simulated
from lockgrader.result import Row
from locksim.lang.struct import DecisionCache, Lock, Struct, Workload
from locksim.library.avc.avc_of import AvcOf
from locksim.library.registry import resolve, workload
from locksim.library.workloads.critical_section import CriticalSection
from locksim.study.simulation import Simulation, simulate

__all__ = ["NotExclusiveError", "own_measure", "reference", "simulated"]

LONGEST_PS = 10**11
_MEASURES: dict[str, Callable[[Simulation], float]] = {
    "transfers": lambda s: s.transactions().mean,
    "time_ns": lambda s: s.operation_ps().mean / 1e3,
    "throughput": lambda s: s.throughput().mean,
    "fairness": lambda s: s.fairness().mean,
    "growth": lambda s: s.per_operation("allocs").mean - s.per_operation("frees").mean,
}
_COLUMNS = {"cpu_share": "sum", "readers": "max", "wait_max_ns": "max"}
"""How a column of lockmeter's is taken over several metered locks; by default the mean."""


class NotExclusiveError(Exception):
    """Mutual exclusion was violated in a simulation."""


def simulated(check: Simulated, submitted: Submitted, lock: type[Struct]) -> Finding:
    """Measure a lock, and compare the values with the band."""
    try:
        values = [_value(check, lock(), n) for n in check.cpus]
        other = []
        if check.against:
            if check.against in submitted.codes:
                against: type[Struct] = submitted.codes[check.against].struct
            else:
                against = resolve(check.against).struct
            other = [_value(check, against(), n) for n in check.cpus]
    except NotExclusiveError as error:
        return Finding("fail", 0.0, str(error), tag="exclusion")
    made = found(_rows(check, values, other))
    return dataclasses.replace(made, curve=curve_of(check, values, other))


@functools.cache
def reference(measure: Measure) -> float:
    """The measure of a lock of the library; each is simulated once in a process."""
    return _value(measure, resolve(measure.lock).struct(**measure.options), measure.cpus)


def own_measure(measure: Measure, submitted: Submitted) -> float:
    """The measure of the submission's own class.

    Raises:
        NotExclusiveError: mutual exclusion was violated. SimulationError: a fault, a deadlock.
    """
    return _value(measure, submitted.codes[measure.lock].struct(), measure.cpus)


def _rows(check: Simulated, values: list[float], other: list[float]) -> list[Row]:
    unit = UNITS[check.measure]
    match check.shape:
        case "value":
            return [
                row(f"{check.measure} on {n} CPUs{f' ({unit})' * bool(unit)}", v, check.band)
                for n, v in zip(check.cpus, values, strict=True)
            ]
        case "slope":
            what = (
                f"slope of log {check.measure} over log CPUs, {check.cpus[0]} to {check.cpus[-1]}"
            )
            return [row(what, _slope(check.cpus, values), check.band)]
        case "plateau":
            what = (
                f"largest over smallest {check.measure}, {check.cpus[0]} to {check.cpus[-1]} CPUs"
            )
            return [row(what, max(values) / min(values) if min(values) else math.inf, check.band)]
        case "ratio":
            return [
                row(f"{check.measure} over {check.against}'s on {n} CPUs", _over(v, o), check.band)
                for n, v, o in zip(check.cpus, values, other, strict=True)
            ]
        case "ordering":
            return [
                row(
                    f"{check.measure} on {n} CPUs, below {check.against}'s {o:,.1f}",
                    v,
                    Band(high=math.nextafter(o, -math.inf), fade=check.band.fade),
                )
                for n, v, o in zip(check.cpus, values, other, strict=True)
            ]
    raise AssertionError(check.shape)  # the schema knows no other


def _value(check: Measured, lock: Struct, cpus: int) -> float:
    """One measure of one lock on a number of CPUs.

    Raises:
        NotExclusiveError: mutual exclusion was violated. SimulationError: a fault, a deadlock.
    """
    made = simulate(
        _workload(check, lock),
        machine=check.machine,
        cpus=cpus,
        operations=check.operations,
        replications=check.replications,
        seed=check.seed,
        longest_ps=LONGEST_PS,
    )
    by_lock = made.by_lock()
    mine = by_lock[by_lock["lock"] == "lock"] if len(by_lock) else by_lock
    if isinstance(lock, Lock) and not len(mine):
        raise NotExclusiveError(f"on {cpus} CPUs the lock was never acquired")
    if len(by_lock) and int(by_lock["violations"].sum()):
        times = int(by_lock["violations"].sum())
        raise NotExclusiveError(
            f"on {cpus} CPUs of {check.machine} mutual exclusion was violated {times} times: "
            "the measurements of a broken lock do not count"
        )
    if check.measure in _MEASURES:
        return _MEASURES[check.measure](made)
    rows = by_lock[[str(name).endswith(check.meter) for name in by_lock["lock"]]]
    if not len(rows):
        names = ", ".join(map(str, by_lock["lock"].unique()))
        raise LabError(f"no lock is named …{check.meter}; the metered ones are {names}")
    column = "readers_max" if check.measure == "readers" else check.measure
    return float(rows[column].agg(_COLUMNS.get(check.measure, "mean")))


def _workload(check: Measured, lock: Struct) -> Workload:
    """The workload with the lock or the decision cache in it.

    Raises:
        UnknownNameError: there is no such workload.
        LabError: the workload takes no lock and no cache.
    """
    if check.workload == "critical_section":
        times = {"hold_ps": check.hold_ns * 1000, "think_ps": check.think_ns * 1000}
        return CriticalSection(lock=lock, words=check.words, **times, **check.settings)
    kind = workload(check.workload)
    if isinstance(lock, DecisionCache):
        # Sealed with the seed; in a hidden check a submission cannot know it.
        lock = AvcOf(cache=lock, salt=check.seed)
    place = next((name for name in ("cache", "lock") if name in kind.FIELDS), None)
    if place is None:
        raise LabError(f"{check.lock}: the workload {check.workload} takes no lock and no cache")
    return kind(**{place: lock}, **_settings(check.settings))


def _settings(settings: dict[str, int]) -> dict[str, int]:
    """A workload's parameters; labs write times in ns, workloads have them in ps."""
    return {
        (f"{name.removesuffix('_ns')}_ps" if name.endswith("_ns") else name): (
            value * 1000 if name.endswith("_ns") else value
        )
        for name, value in settings.items()
    }


def _slope(cpus: tuple[int, ...], values: list[float]) -> float:
    """Slope of a straight line through the logarithms (least squares)."""
    from scipy import stats

    if len(cpus) < 2 or min(values) <= 0:
        return math.nan
    return float(stats.linregress([math.log(n) for n in cpus], [math.log(v) for v in values]).slope)


def _over(value: float, other: float) -> float:
    return value / other if other else math.nan
