"""Numbers of locks in simulated time: of the submission's classes by the rules, and the library's.

Every kind that measures a class of the submission takes its number from :func:`measured`, which
applies :mod:`lockgrader.measuring.rules`. Yardsticks are the library's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

from lockgrader.finding import Finding, Settled
from lockgrader.lab import LabError, Measure, Measured
from lockgrader.measuring.decisions import NotedDecisions, Notes
from lockgrader.measuring.rules import Seen, check_run, own_run
from lockgrader.submitted import Submitted
from locksim import machine as machines
from locksim.kinds.kind import resized
from locksim.lang import NS
from locksim.lang.struct import CountedRef, DecisionCache, Lock, Struct, Workload
from locksim.library.avc.avc_of import AvcOf
from locksim.library.kernel.netlabel import NetLabel
from locksim.library.registry import resolve, workload
from locksim.library.workloads.critical_section import CriticalSection
from locksim.library.workloads.paths import COMPONENTS
from locksim.machine import Machine
from locksim.study.simulation import Simulation, simulate

__all__ = ["is_own", "measured", "own_measure", "reference", "yardstick"]

LONGEST_PS = 10**11
JITTER_PS, LONG = 20_000, 1500
"""Of a longer run: by how much transfers vary, at least, and units of work of each CPU."""
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


def is_own(name: str) -> bool:
    """Whether a lab means a class of the submission: those of the library are in small letters.

    So no submission replaces a lock of the library by a class of the same name.
    """
    return name[:1].isupper()


def measured(measure: Measured, name: str, cpus: int, submitted: Submitted) -> float:
    """A number of a class of the submission, in a run that counts.

    Arguments:
        measure: what, and the load. name: of the class. cpus: how many. submitted: which has it.

    Raises:
        Settled: there is no such class, the run does not count, or it ended with a fault.
        LabError: the workload takes no such class. UnknownNameError: there is no such workload.
    """
    struct = submitted.lock(name)
    notes = Notes()
    with own_run(name):
        run = _simulated(measure, struct(), cpus, notes)
    where = f"on {cpus} CPUs of {_machine(measure.machine)}"
    if _never_acquired(run, struct):
        says = f"on {cpus} CPUs the lock was never acquired"
        raise Settled(Finding("fail", message=says, tag="exclusion", violation=name))
    seen = Seen(
        where=where,
        violations={name: sum(row["violations"] for row in run.meters())},
        ran=run.ran,
        notes=notes if issubclass(struct, DecisionCache) else None,
        cache=name,
        done=run.done(),
        longer=lambda: _longer_run(measure, name, struct(), cpus),
    )
    check_run(seen, [name], submitted, progress=measure.progress, least_hits=measure.hits)
    return _number(measure, run)


def own_measure(measure: Measure, submitted: Submitted) -> float:
    """The measure of the submission's own class; raises what :func:`measured` raises."""
    return measured(measure, measure.lock, measure.cpus, submitted)


def yardstick(measure: Measured, name: str, cpus: int) -> float:
    """The number of a lock of the library under the same load.

    Arguments:
        measure: what, and the load. name: of the lock. cpus: how many.
    """
    return _number(measure, _simulated(measure, resolve(name).struct(), cpus))


@functools.cache
def reference(measure: Measure) -> float:
    """The measure of a lock of the library; each is simulated once in a process."""
    lock = resolve(measure.lock).struct(**measure.options)
    return _number(measure, _simulated(measure, lock, measure.cpus))


def _longer_run(measure: Measured, name: str, lock: Struct, cpus: int) -> tuple[str, list[int]]:
    """Where a longer run was, in words, and the units of work of each CPU in it."""
    machine = machines.load(measure.machine)
    jitter_ps = max(JITTER_PS, machine.tables(cpus, "compact").jitter_ps)
    long = {"operations": max(LONG, measure.operations), "replications": 1}
    with own_run(name):
        run = _simulated(
            measure.model_copy(update=long),
            lock,
            cpus,
            machine=machine.with_costs(jitter=jitter_ps),
        )
    where = f"in {long['operations']:,} units of work for each of {cpus} CPUs"
    return f"{where} of {_machine(measure.machine)}", run.done()


def _simulated(
    measure: Measured,
    lock: Struct,
    cpus: int,
    notes: Notes | None = None,
    machine: Machine | None = None,
) -> Simulation:
    """A simulation of a lock.

    Arguments:
        measure: the load. lock: the lock. cpus: how many.
        notes: get those of a cache; the run is watched then. machine: in place of the measure's.
    """
    return simulate(
        _workload(measure, lock, noted=notes is not None),
        machine=machine or measure.machine,
        cpus=cpus,
        operations=measure.operations,
        replications=measure.replications,
        seed=measure.seed,
        longest_ps=LONGEST_PS,
        watch=notes or False,
    )


def _never_acquired(run: Simulation, struct: type[Struct]) -> bool:
    must = issubclass(struct, Lock) and not issubclass(struct, CountedRef)  # it counts without it
    return must and not any(row["lock"] == "lock" for row in run.meters())


def _machine(name: str) -> str:
    """A machine's name; of a file of the lab's, without this machine's folders."""
    return Path(name).stem if name.endswith(".toml") else name


def _number(measure: Measured, run: Simulation) -> float:
    """The measure of a simulation, or a column of its lock meter.

    Raises:
        LabError: there is no lock of such a name.
    """
    if measure.measure in _MEASURES:
        return _MEASURES[measure.measure](run)
    by_lock = run.by_lock()
    rows = by_lock[[str(name).endswith(measure.meter) for name in by_lock["lock"]]]
    if not len(rows):
        names = ", ".join(map(str, by_lock["lock"].unique()))
        raise LabError(f"no lock is named …{measure.meter}; the metered ones are {names}")
    column = "readers_max" if measure.measure == "readers" else measure.measure
    return float(rows[column].agg(_COLUMNS.get(measure.measure, "mean")))


def _workload(measure: Measured, lock: Struct, *, noted: bool = False) -> Workload:
    """The workload with the lock or the decision cache in it; ``noted``: with a cache's notes.

    Raises:
        UnknownNameError: there is no such workload.
        LabError: the workload takes no lock and no cache.
    """
    if measure.workload == "critical_section":
        times = {"hold_ps": measure.hold_ns * 1000, "think_ps": measure.think_ns * 1000}
        return CriticalSection(lock=lock, words=measure.words, **times, **measure.settings)
    kind = workload(measure.workload)
    if isinstance(lock, DecisionCache):
        # Sealed with the seed; in a hidden check a submission cannot know it.
        lock = AvcOf(cache=NotedDecisions(cache=lock) if noted else lock, salt=measure.seed)
    if "labels" in kind.FIELDS:  # a miss of a label cache costs the hold time
        host = NetLabel(cache=lock, option_ps=NS, translate_ps=measure.hold_ns * NS)
        return kind(labels=host, **_settings(measure.settings))
    place = next((name for name in ("cache", "lock", "dcache") if name in kind.FIELDS), None)
    if place == "dcache":
        lock = resized(lock, components=COMPONENTS)
    if place is None:
        says = f"the workload {measure.workload} takes no lock and no cache"
        raise LabError(f"{measure.lock}: {says}")
    return kind(**{place: lock}, **_settings(measure.settings))


def _settings(settings: dict[str, int]) -> dict[str, int]:
    """A workload's parameters; labs write times in ns, workloads have them in ps."""
    return {
        (f"{name.removesuffix('_ns')}_ps" if name.endswith("_ns") else name): (
            value * 1000 if name.endswith("_ns") else value
        )
        for name, value in settings.items()
    }
