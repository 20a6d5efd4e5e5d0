"""Traces for tests: any workload in either engine."""

from __future__ import annotations

from arrays import reference_run

from locksim import machine
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.lang import Workload
from locksim.library.workloads.critical_section import CriticalSection
from locksim.library.workloads.readers_writers import ReadersWriters
from locksim.machine import MachineTables
from locksim.study.traces import Trace, record

ENGINES = ("reference", "fast", "jumping")


def traced(
    workload: Workload,
    tables: MachineTables,
    *,
    engine: str = "fast",
    seed: int = 1,
    until_ps: int = 200_000,
) -> Trace:
    """The trace of a run in one of ENGINES."""
    image, memory = prepare(workload, tables, heap_lines=512)
    if engine == "reference":
        result = reference_run(memory, tables, seed=seed, until_ps=until_ps, trace=True)
    else:
        jump = engine == "jumping"
        result = fast.run(
            image, memory, tables, seed=seed, until_ps=until_ps, trace=True, jump=jump
        )
    return Trace(result, memory, tables, seed, "a test")


def contended(lock, cpus: int = 8, *, rows: int = 6_000, **settings: int) -> Trace:
    """A lock that all CPUs want all the time, on a machine with many equal nodes."""
    load = {"words": 0, "think_ps": 1_000} | settings
    return record(CriticalSection(lock=lock, **load), machine="itanium2-32", cpus=cpus, rows=rows)


def read_mostly(lock, cpus: int = 4) -> Trace:
    """A reader-writer lock, mostly read."""
    load = ReadersWriters(lock=lock, think_ps=300_000, hold_ps=100_000)
    return record(load, machine="desktop-4", cpus=cpus, rows=4_000)


def itanium(cpus: int) -> MachineTables:
    """A historical machine."""
    return machine.load("itanium2-32").tables(cpus)
