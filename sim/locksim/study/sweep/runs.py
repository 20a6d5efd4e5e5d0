"""What a worker does: run a point with some seeds, and report a row for each.

A fault of the program (a deadlock, a livelock, a machine that refuses a cost) is a result like any
other: the row holds its message, and the run is not tried again.
"""

from __future__ import annotations

import functools
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from locksim.kinds import ArrivalProcess, LoadSettings, PlainLoad, load_of
from locksim.lang import NS
from locksim.lang.struct import Struct
from locksim.library.registry import from_text, resolve
from locksim.machine import Machine
from locksim.machine.quantities import PS_PER_NS
from locksim.study.simulation import LONGEST_PS, TIMES, simulate, times_of, violations_of
from locksim.study.sweep.design import FACTORS, Point
from locksim.study.sweep.identity import engine_digest

__all__ = ["MEASURES", "Batch", "StaleWorkerError", "Task", "load_at", "longest_ps", "perform"]

MEASURES: dict[str, type] = {
    "window_ps": int,
    "done": int,
    "per_second": float,
    "ns_per_operation": float,
    "transactions": float,
    "fairness": float,
    **dict.fromkeys(TIMES, float),
    "violations": int,
    "error": str,
}
"""What a row reports of a run: the names of ``locklab sweep --json``, and the length and the units
of work of the measuring window. A time is None if no thread took that side of the lock. ``error``
is a message, or None."""
_ALONE = threading.Lock()


class StaleWorkerError(Exception):
    """A worker has other sources than the process that asks it."""

    exit_code = 2


@dataclass(frozen=True)
class Batch:
    """Runs of one point: ``replications`` from ``seed`` on.

    Arguments:
        digest: the point's. machine: the digest of the profile before its costs are replaced.
    """

    digest: str
    point: Point
    machine: str
    seed: int
    replications: int


@dataclass(frozen=True)
class Task:
    """What a worker gets at once.

    Arguments:
        batches: the runs. machines: profiles by digest. texts: of the locks that are files of the
            user's, by the names of the locks. engine: digest of the sources that must run them.
    """

    batches: Sequence[Batch]
    machines: Mapping[str, Machine]
    texts: Mapping[str, str]
    engine: str

    @property
    def runs(self) -> int:
        """How many runs it asks for."""
        return sum(batch.replications for batch in self.batches)


def perform(task: Task) -> tuple[list[dict[str, Any]], float]:
    """Run a task; return a row for each run, and the seconds that all took.

    Raises:
        StaleWorkerError: this process has other sources.
    """
    if task.engine != engine_digest():
        raise StaleWorkerError(
            "a worker has another version of LockLab than this machine\n"
            "help: install the same version everywhere, and restart the workers"
        )
    rows: list[dict[str, Any]] = []
    with _ALONE:  # a cluster's worker may have threads; set-up programs have one context
        began = time.perf_counter()
        for batch in task.batches:
            lock = str(batch.point["lock"])
            load = load_at(batch.point, struct_of(lock, task.texts.get(lock)))
            rows += _rows(batch, load, task.machines[batch.machine])
        return rows, time.perf_counter() - began


@functools.lru_cache(maxsize=256)
def struct_of(lock: str, text: str | None) -> type[Struct]:
    """The class that a lock's name stands for; ``text`` is that of its file, if it is one."""
    if text is None:
        return resolve(lock).struct
    file, _, name = lock.partition(":")
    return from_text(text, file, name).struct


def load_at(point: Point, struct: type[Struct]) -> PlainLoad:
    """The plain load of a point.

    Raises:
        LoadError: a value is out of range, or no plain load fits.
    """
    p: Mapping[str, Any] = point
    settings = LoadSettings(
        hold_ps=p["hold_ns"] * NS,
        think_ps=p["think_ns"] * NS,
        read_percent=p["read_percent"],
        words=p["words"],
        tasks=p["tasks"],
        arrivals=ArrivalProcess(p["arrivals"], p["burst"], p["hold_times"], p["think_times"]),
    )
    return load_of(struct, p["lock"], settings)


def longest_ps(load: PlainLoad, cpus: int) -> int:
    """Simulated time without a unit of work that counts as a livelock."""
    return load.livelock_limit_ps(cpus) or LONGEST_PS


def _rows(batch: Batch, load: PlainLoad, profile: Machine) -> list[dict[str, Any]]:
    point: Mapping[str, Any] = batch.point
    costs = {k: round(v * PS_PER_NS) for k, v in point.items() if k not in FACTORS}
    try:
        found = simulate(
            load.workload,
            machine=profile.with_costs(**costs) if costs else profile,
            cpus=point["cpus"],
            placement=point["placement"],
            operations=point["operations"],
            replications=batch.replications,
            seed=batch.seed,
            longest_ps=longest_ps(load, point["cpus"]),
        )
    except Exception as error:
        if getattr(error, "exit_code", None) != 2:
            raise
        if batch.replications == 1:
            empty = dict.fromkeys(MEASURES)
            return [{"point": batch.digest, "seed": batch.seed, **empty, "error": str(error)}]
        alone = [
            replace(batch, seed=batch.seed + k, replications=1) for k in range(batch.replications)
        ]
        return [row for one in alone for row in _rows(one, load, profile)]
    if not found.complete:
        raise KeyboardInterrupt
    return [
        {"point": batch.digest, "seed": run.seed, **_measures(replace(found, replications=[run]))}
        for run in found.replications
    ]


def _measures(run: Any) -> dict[str, Any]:
    (only,) = run.replications
    meters = run.meters()
    return {
        "window_ps": only.window_ps,
        "done": sum(run.done()),
        "per_second": run.throughput().mean,
        "ns_per_operation": run.operation_ps().mean / 1e3,
        "transactions": run.transactions().mean,
        "fairness": run.fairness().mean,
        **dict.fromkeys(TIMES),
        **times_of(meters, run.lock_names),
        "violations": violations_of(meters),
        "error": None,
    }
