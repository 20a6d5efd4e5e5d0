"""Simulated: values and shapes of curves, in simulated time only.

A lock that violates mutual exclusion is fast, and so is one that lets a single CPU in. So each
simulation is itself checked, and earns nothing, however good its numbers are, if

- mutual exclusion was violated, or a decision of a cache has a wrong seal
  (:mod:`locksim.library.avc.avc_of`);
- a cache forgets what it should know (``hits``), or gives a decision that had been replaced
  (:mod:`lockgrader.checks.decisions`);
- some CPU did less than its share (``progress``);
- an operation ran that no proof of the lab has reached (:mod:`lockgrader.checks.ran`).
"""

from __future__ import annotations

import dataclasses
import functools
import math
import statistics
from collections.abc import Callable

from lockgrader.checks.curve import UNITS, curve_of
from lockgrader.checks.decisions import NotedDecisions, Notes, hits, stale
from lockgrader.checks.ran import operations, unproven
from lockgrader.checks.submitted import Submitted
from lockgrader.finding import Finding, found, row
from lockgrader.lab import Band, LabError, Measure, Measured, Simulated
from lockgrader.result import Row
from locksim.kinds.kind import resized
from locksim.lang import NS
from locksim.lang.struct import CountedRef, DecisionCache, Lock, Struct, Workload
from locksim.library.avc.avc_of import AvcOf
from locksim.library.kernel.netlabel import NetLabel
from locksim.library.registry import resolve, workload
from locksim.library.workloads.critical_section import CriticalSection
from locksim.library.workloads.paths import COMPONENTS
from locksim.study.simulation import Simulation, simulate

__all__ = ["NotCountedError", "own_measure", "reference", "simulated"]

LONGEST_PS = 10**11
VIOLATIONS = ("exclusion", "stale")
"""Reasons not to count a run that show a wrong program, not only a slow or an unfair one."""
_MEASURES: dict[str, Callable[[Simulation], float]] = {
    "transfers": lambda s: s.transactions().mean,
    "time_ns": lambda s: s.operation_ps().mean / 1e3,
    "throughput": lambda s: s.throughput().mean,
    "fairness": lambda s: s.fairness().mean,
    "slowest": lambda s: s.throughput().mean * min(s.done()) / sum(s.done()),
    "growth": lambda s: s.per_operation("allocs").mean - s.per_operation("frees").mean,
}
_COLUMNS = {"cpu_share": "sum", "readers": "max", "wait_max_ns": "max"}
"""How a column of lockmeter's is taken over several metered locks; by default the mean."""


class NotCountedError(Exception):
    """A simulation whose numbers do not count; the message says why.

    Arguments:
        message: the reason. tag: one word for it.
    """

    def __init__(self, message: str, tag: str = "exclusion") -> None:
        super().__init__(message)
        self.tag = tag


def simulated(check: Simulated, submitted: Submitted, lock: type[Struct]) -> Finding:
    """Measure a lock, and compare the values with the band."""
    try:
        values = [_own(check, submitted, lock, n) for n in check.cpus]
        other = []
        if check.against:
            if check.against in submitted.codes:
                against: type[Struct] = submitted.codes[check.against].struct
            else:
                against = resolve(check.against).struct
            other = [_value(check, against(), n) for n in check.cpus]
    except NotCountedError as error:
        wrong = error.tag in VIOLATIONS
        return Finding("fail", 0.0, str(error), tag=error.tag, violation=wrong)
    made = found(_rows(check, values, other))
    return dataclasses.replace(made, curve=curve_of(check, values, other))


@functools.cache
def reference(measure: Measure) -> float:
    """The measure of a lock of the library; each is simulated once in a process."""
    return _value(measure, resolve(measure.lock).struct(**measure.options), measure.cpus)


def own_measure(measure: Measure, submitted: Submitted) -> float:
    """The measure of the submission's own class.

    Raises:
        NotCountedError: the simulation does not count. SimulationError: a fault, a deadlock.
    """
    return _own(measure, submitted, submitted.codes[measure.lock].struct, measure.cpus)


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


def _own(check: Measured, submitted: Submitted, lock: type[Struct], cpus: int) -> float:
    """One measure of the submission's lock, in a simulation that counts.

    Raises:
        NotCountedError: it does not. SimulationError: a fault, a deadlock.
    """
    notes = Notes()
    made = _simulated(check, lock(), cpus, notes)
    if isinstance(lock(), DecisionCache):
        _check_answers(check, notes, cpus)
    done = made.done()
    slowest, mean = min(done), sum(done) / cpus
    if slowest < check.progress * mean:
        raise NotCountedError(
            f"on {cpus} CPUs of {check.machine} CPU {done.index(slowest)} did {slowest} units of "
            f"work, and the mean is {mean:.0f}: the measurements of a lock that keeps a CPU out do "
            "not count",
            "progress",
        )
    if check.lock in submitted.proven:
        ran = operations(made.ran, submitted.codes[check.lock].file)
        wrong = unproven(ran, submitted.proven[check.lock])
        if wrong:
            raise NotCountedError(wrong, "unproven")
    return _measured(check, made)


def _check_answers(check: Measured, notes: Notes, cpus: int) -> None:
    """Check what a cache has answered.

    Raises:
        NotCountedError: it gave a decision that had been replaced, or forgets too much.
    """
    must = hit = 0
    for calls in notes.calls():
        found = stale(calls)
        if found is not None:
            call, newer = found
            raise NotCountedError(
                f"on {cpus} CPUs of {check.machine} lookup({call.key}) at {call.begin / 1e3:,.0f} "
                f"ns found a decision that had been replaced by {newer.end / 1e3:,.0f} ns: the "
                "measurements of a cache that is not up to date do not count",
                "stale",
            )
        must, hit = must + hits(calls)[0], hit + hits(calls)[1]
    if hit < check.hits * must:
        raise NotCountedError(
            f"on {cpus} CPUs of {check.machine} {hit} of {must} lookups found a decision that the "
            "cache had to know: the measurements of a cache that forgets do not count",
            "forgets",
        )


def _value(check: Measured, lock: Struct, cpus: int) -> float:
    """One measure of one lock on a number of CPUs.

    Raises:
        NotCountedError: mutual exclusion was violated. SimulationError: a fault, a deadlock.
    """
    return _measured(check, _simulated(check, lock, cpus))


def _simulated(check: Measured, lock: Struct, cpus: int, watch: Notes | None = None) -> Simulation:
    """A simulation without a violation; ``watch`` gets its trace and a cache's notes.

    Raises:
        NotCountedError: mutual exclusion was violated. SimulationError: a fault, a deadlock.
    """
    made = simulate(
        _workload(check, lock, noted=watch is not None),
        machine=check.machine,
        cpus=cpus,
        operations=check.operations,
        replications=check.replications,
        seed=check.seed,
        longest_ps=LONGEST_PS,
        watch=watch or False,
    )
    meters = made.meters()
    must = isinstance(lock, Lock) and not isinstance(lock, CountedRef)  # which counts without it
    if must and not any(row["lock"] == "lock" for row in meters):
        raise NotCountedError(f"on {cpus} CPUs the lock was never acquired")
    if times := sum(row["violations"] for row in meters):
        raise NotCountedError(
            f"on {cpus} CPUs of {check.machine} mutual exclusion was violated {times} times: "
            "the measurements of a broken lock do not count"
        )
    return made


def _measured(check: Measured, made: Simulation) -> float:
    """The measure of a simulation, or a column of its lock meter.

    Raises:
        LabError: there is no lock of such a name.
    """
    if check.measure in _MEASURES:
        return _MEASURES[check.measure](made)
    by_lock = made.by_lock()
    rows = by_lock[[str(name).endswith(check.meter) for name in by_lock["lock"]]]
    if not len(rows):
        names = ", ".join(map(str, by_lock["lock"].unique()))
        raise LabError(f"no lock is named …{check.meter}; the metered ones are {names}")
    column = "readers_max" if check.measure == "readers" else check.measure
    return float(rows[column].agg(_COLUMNS.get(check.measure, "mean")))


def _workload(check: Measured, lock: Struct, *, noted: bool = False) -> Workload:
    """The workload with the lock or the decision cache in it; ``noted``: with a cache's notes.

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
        lock = AvcOf(cache=NotedDecisions(cache=lock) if noted else lock, salt=check.seed)
    if "labels" in kind.FIELDS:  # a miss of a label cache costs the hold time
        host = NetLabel(cache=lock, option_ps=NS, translate_ps=check.hold_ns * NS)
        return kind(labels=host, **_settings(check.settings))
    place = next((name for name in ("cache", "lock", "dcache") if name in kind.FIELDS), None)
    if place == "dcache":
        lock = resized(lock, components=COMPONENTS)
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
    if len(cpus) < 2 or min(values) <= 0:
        return math.nan
    line = statistics.linear_regression([math.log(n) for n in cpus], [math.log(v) for v in values])
    return line.slope


def _over(value: float, other: float) -> float:
    return value / other if other else math.nan
