"""The load that ``locklab run`` and ``locklab sweep`` put on a lock or cache that the user names."""

from __future__ import annotations

from locksim.compiler.ir import ClassCode
from locksim.lang.struct import Lock, RWLock, Struct, Workload
from locksim.registry import resolve


class LoadError(Exception):
    """A struct that none of the plain loads fits, or a load that makes no sense."""

    exit_code = 2


def workload_for(
    name: str, hold_ns: int, think_ns: int, read_percent: int
) -> tuple[Workload, dict[type[Struct], ClassCode]]:
    """The workload for a lock or cache, and the bytecode of what exists only as parsed text.

    Arguments:
        name: of the library, or ``FILE.py:CLASS``.
        hold_ns: time inside the critical section. think_ns: mean time between two.
        read_percent: share of readers, for reader-writer locks.

    Raises:
        UnknownNameError, CompileError: see :func:`locksim.registry.resolve`.
        LoadError: no plain load fits, or a number is out of range.
    """
    from locksim.lang import NS
    from locksim.workloads.critical_section import CriticalSection
    from locksim.workloads.rcutest import RcuTest
    from locksim.workloads.readers_writers import ReadersWriters

    if hold_ns < 0 or think_ns < 0:
        raise LoadError(f"--hold {hold_ns} --think {think_ns}: a time is at least 0 ns")
    if not 0 <= read_percent <= 100:
        raise LoadError(f"--read-percent {read_percent}: give a share from 0 to 100")
    entry = resolve(name)
    codes = {} if entry.code is None else {entry.struct: entry.code}
    times = {"hold_ps": hold_ns * NS, "think_ps": think_ns * NS}
    if issubclass(entry.struct, Lock):
        return CriticalSection(lock=entry.struct, **times), codes
    if issubclass(entry.struct, RWLock):
        return ReadersWriters(lock=entry.struct, read_percent=read_percent, **times), codes
    if "has_perm" in entry.compiled().methods:
        if think_ns < 1:
            raise LoadError(f"--think {think_ns}: a cache's load needs at least 1 ns between checks")
        jitter = think_ns * NS // 10
        return RcuTest(cache=entry.struct, other_ps=think_ns * NS, jitter_ps=jitter), codes
    raise LoadError(
        f"{name} is neither a Lock nor an RWLock nor a cache with has_perm(): "
        "write a Workload for it and call locksim.simulation()"
    )
