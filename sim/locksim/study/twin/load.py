"""A load of sections under one class of locks, and its simulated columns.

The numbers are those of :mod:`locksim.library.workloads.lock_class`, in the units of a report. A
run counts as a lock meter does, over all locks of the class together.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from locksim.engine.counters import CPU_COUNTERS, LOCK_COUNTERS, LOCK_MAXIMA
from locksim.kinds import LoadSettings, kind_of
from locksim.kinds.kind import StructKind
from locksim.kinds.load import ARRIVALS
from locksim.lang.struct import Lock, ReadCopyUpdate, RWLock, SeqLock, Struct, Workload
from locksim.library.registry import resolve
from locksim.library.workloads import lock_class
from locksim.machine import Machine
from locksim.study.model_error import Given, class_of, given
from locksim.study.reports.table import LockTable, of_meter
from locksim.study.simulation import (
    LONGEST_PS,
    WARM_UP,
    Placement,
    Simulation,
    meter_rows,
    simulate,
)
from locksim.study.twin.errors import TwinError

__all__ = ["ClassLoad", "Measured", "Setting", "has_readers", "instance_of", "measure", "measured"]

_INSTANCES: tuple[tuple[type[Struct], type[Struct]], ...] = (
    (RWLock, lock_class.Shared),
    (SeqLock, lock_class.Sequenced),
    (Lock, lock_class.Exclusive),
)
WRITERS = "qspinlock"
"""The lock that writers take where readers take none."""


@dataclass(frozen=True)
class ClassLoad:
    """A load; times are means in ns, shares are fractions.

    Arguments:
        lock: of the library, or ``FILE.py:CLASS``. free_readers: readers take no lock.
        think_ns: between two sections. again: share of sections that follow at once.
        hold_ns, read_hold_ns: work under the lock, of writers and of readers, beside line
            transfers. spread: their coefficient of variation. reads: share of readers.
        locks: how many, each of as many ``parts``, one of which a section takes.
        at_random: share of the sections that take a lock at random, not their CPU's own.
        lines: that a section touches. batch: sections in one acquisition.
        arrivals: ``closed`` or ``open``.
    """

    lock: str
    think_ns: float
    hold_ns: float
    read_hold_ns: float = 0.0
    spread: float = 0.5
    reads: float = 0.0
    again: float = 0.0
    locks: float = 1.0
    parts: int = 1
    at_random: float = 1.0
    lines: int = 1
    batch: int = 1
    arrivals: str = "closed"
    free_readers: bool = False

    def workload(self) -> Workload:
        """The load in the lock language.

        Raises:
            UnknownNameError, CompileError: as :func:`locksim.library.registry.resolve`.
            TwinError: nothing is known about how this kind of struct guards a section.
        """
        struct = resolve(self.lock).struct
        instance = {"lines": max(1, self.lines), "touched": self.lines}
        load: type[Workload] = lock_class.LockClass
        if issubclass(struct, ReadCopyUpdate):
            load = lock_class.RcuClass
            made: Struct = lock_class.Unlocked(lock=resolve(WRITERS).struct, **instance)
        elif self.free_readers:
            lock = struct if issubclass(struct, Lock) else resolve(WRITERS).struct
            made = lock_class.Unlocked(lock=lock, **instance)
        else:
            made = instance_of(struct, self.lock)(lock=struct, **instance)
        parts: dict[str, Any] = {"instances": made}
        if load is lock_class.RcuClass:
            parts["rcu"] = struct
        milli = max(lock_class.MILLI, round(self.locks * lock_class.MILLI))
        return load(
            locks_milli=milli,
            locks=-(-milli // lock_class.MILLI) * self.parts,
            parts=self.parts,
            random_percent=round(100 * self.at_random),
            read_milli=round(lock_class.MILLI * self.reads),
            hold_ps=_ps(self.hold_ns),
            read_hold_ps=_ps(self.read_hold_ns),
            spread_percent=round(100 * self.spread),
            again_milli=round(lock_class.MILLI * self.again),
            batch=self.batch,
            think_ps=_ps(self.think_ns),
            arrivals=ARRIVALS[self.arrivals],
            **parts,
        )


@dataclass(frozen=True)
class Setting:
    """Where and for how long a load runs.

    Arguments:
        machine: the profile. cpus: with one thread on each. placement: of them.
        seed: of the random streams. sections: to measure, on all CPUs together.
    """

    machine: Machine
    cpus: int
    placement: Placement = "compact"
    seed: int = 1
    sections: int = 20_000


@dataclass(frozen=True)
class Measured:
    """The columns of a simulated run.

    Arguments:
        columns: by the names of :data:`locksim.study.twin.evidence.COLUMNS`.
        per_second: sections of all CPUs. section_ns: from one to the next on one CPU.
        transfers: line transfers of a section. transfer_ns: time that they took.
        kind, work: the class of question and what is given, as the error of the model knows them.
        counts: of a lock meter over all locks of the class (``LOCK_COUNTERS``).
        window_ps: in which they were counted. cpus: of the run.
    """

    columns: Mapping[str, float]
    per_second: float
    section_ns: float
    transfers: float
    transfer_ns: float
    kind: str
    work: Given
    counts: Mapping[str, int]
    window_ps: int
    cpus: int

    @property
    def waits(self) -> int:
        """Contended acquisitions."""
        return self.counts["contended"] + self.counts["read_contended"]

    @property
    def held_ns(self) -> float:
        """Holds of a section, of readers and writers."""
        return self._each("hold_ps") + self._each("read_hold_ps")

    @property
    def outside_ns(self) -> float:
        """The rest of a section's time, which neither waits nor holds."""
        return self.section_ns - self.held_ns - self._each("wait_ps") - self._each("read_wait_ps")

    def _each(self, name: str) -> float:
        """A time of all sections, for each of them, in ns."""
        return self.counts[name] * 1e9 / self.window_ps / self.per_second

    def table(self, name: str, system: str) -> LockTable:
        """The run as a table of lock statistics, which the formats' writers take.

        Arguments:
            name: of the class. system: that ran.
        """
        rows = meter_rows(name, dict(self.counts), window_ps=self.window_ps, cpus=self.cpus)
        shared = [name] if self.counts["read_total"] else []
        return of_meter(
            rows,
            source="simulated",
            cpus=self.cpus,
            window_ns=self.window_ps / 1e3,
            system=system,
            shared=shared,
        )


def has_readers(lock: str) -> bool:
    """Whether a lock of the library lets readers do something else than writers."""
    struct = resolve(lock).struct
    return issubclass(struct, RWLock | SeqLock | ReadCopyUpdate)


def measure(load: ClassLoad, setting: Setting) -> Measured:
    """Run a load.

    Raises:
        TwinError: see :meth:`ClassLoad.workload`.
        SimulationError: the program got stuck.
    """
    return measured(load.workload(), setting, _limit_ps(load, setting))


def measured(workload: Workload, setting: Setting, longest_ps: int = LONGEST_PS) -> Measured:
    """Run any load whose locks are ``instances[i].lock``.

    Arguments:
        workload: such as a ``LockClass``. setting: where. longest_ps: as for ``simulate``.

    Raises:
        SimulationError: the program got stuck.
    """
    units, warm_up = _units(setting)
    return _counted(
        simulate(
            workload,
            machine=setting.machine,
            cpus=setting.cpus,
            placement=setting.placement,
            operations=units,
            warmup=warm_up,
            replications=1,
            seed=setting.seed,
            longest_ps=longest_ps,
        ),
        workload,
    )


def instance_of(struct: type[Struct], name: str) -> type[Struct]:
    """The kind of instance that a lock guards.

    Arguments:
        struct: the lock. name: of it, for the message.

    Raises:
        TwinError: nothing is known about how this kind of struct guards a section.
    """
    for base, instance in _INSTANCES:
        if issubclass(struct, base):
            return instance
    raise TwinError(
        f"lock={name}: a section can be guarded by a lock, a reader-writer lock, a sequence lock "
        "or RCU\nhelp: 'locklab show lock' lists them"
    )


def _units(setting: Setting) -> tuple[int, int]:
    """Sections of each CPU that are measured, and of the warm-up."""
    units = max(10, setting.sections // setting.cpus)
    return units, max(5, units // 5)


def _limit_ps(load: ClassLoad, setting: Setting) -> int:
    kind = kind_of(resolve(load.lock).struct) or StructKind()
    times = LoadSettings(
        hold_ps=_ps(max(load.hold_ns, load.read_hold_ns) * load.batch), think_ps=_ps(load.think_ns)
    )
    limit = kind.livelock_limit_ps(setting.cpus, times)
    if limit is None:
        return LONGEST_PS
    _, warm_up = _units(setting)
    return limit * max(1, round(warm_up / WARM_UP))  # it is for so many sections of each CPU


def _counted(result: Simulation, workload: Workload) -> Measured:
    (run,) = result.replications
    own = [i for i, name in enumerate(result.lock_names) if name.endswith("].lock")]
    count = {
        name: int(run.locks[own, k].max() if name in LOCK_MAXIMA else run.locks[own, k].sum())
        for k, name in enumerate(LOCK_COUNTERS)
    }
    total, read = count["total"], count["read_total"]
    waits, read_waits = count["contended"], count["read_contended"]
    both, contended = total + read, waits + read_waits
    waited_ps = count["wait_ps"] + count["read_wait_ps"]
    seconds = run.window_ps / 1e12
    columns = {
        "rate": both / seconds,
        "contentions": contended / seconds,
        "con": _over(contended, both),
        "wait": _over(waited_ps / 1e3, contended),
        "waiting": _over(waited_ps / 1e3, both),
        "hold": _over(count["hold_ps"] / 1e3, total),
        "read_hold": _over(count["read_hold_ps"] / 1e3, read),
        "read_part": _over(read_waits, contended),
        "write_con": _over(waits, total),
        "read_con": _over(read_waits, read),
        "write_wait": _over(count["wait_ps"] / 1e3, waits),
        "read_wait": _over(count["read_wait_ps"] / 1e3, read_waits),
        "wait_max": max(count["wait_max_ps"], count["read_wait_max_ps"]) / 1e3,
    }
    done = int(run.cpu[:, CPU_COUNTERS.index("done")].sum())
    miss_ps = int(run.cpu[:, CPU_COUNTERS.index("miss_ps")].sum())
    return Measured(
        columns=columns,
        per_second=done / seconds,
        section_ns=result.operation_ps().mean / 1e3,
        transfers=_over(int(run.lines.sum()), done),
        transfer_ns=_over(miss_ps / 1e3, done),
        kind=class_of(result),
        work=given(result, workload),
        counts=count,
        window_ps=run.window_ps,
        cpus=result.cpus,
    )


def _over(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _ps(time_ns: float) -> int:
    return max(0, round(time_ns * 1e3))


def replaced(load: ClassLoad, knobs: Mapping[str, float]) -> ClassLoad:
    """The load with other numbers, by their names."""
    return replace(load, **knobs)  # type: ignore[arg-type]
