"""Which CPUs the threads of a run get; :mod:`locknative.survey.topology` reads the machine."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence

from locknative.errors import NativeError, require, unknown
from locknative.survey.topology import Cpu, compact, spread

PLACEMENTS = ("compact", "scatter", "free")


def allowed() -> list[int]:
    """Return the CPUs that this process may use."""
    return sorted(os.sched_getaffinity(0))


def place(
    threads: int,
    placement: str | Sequence[int],
    cpus: Sequence[Cpu],
    allowed: Collection[int],
) -> tuple[int, ...]:
    """Return the CPU of each thread.

    Args:
        threads: how many, at least 1.
        placement: ``"compact"`` fills a core's SMT siblings, then a socket; ``"scatter"`` spreads
            over sockets, then cores; ``"free"`` leaves it to the scheduler; or CPU numbers.
        cpus: those of the machine that are online; empty where a container hides them.
        allowed: the CPUs that this process may use: a cpuset may be smaller than the machine.

    Returns:
        One CPU a thread, no CPU twice; empty for ``"free"``.

    Raises:
        NativeError: an unknown placement, too few CPUs, a CPU that is offline or not allowed.
    """
    require(threads >= 1, "threads", "at least 1", threads)
    if placement == "free":
        return ()
    numbers = {cpu.number for cpu in cpus}
    usable = sorted(set(allowed) & numbers) if cpus else sorted(allowed)
    here = f"this process may use CPUs {', '.join(map(str, usable))}"
    if not isinstance(placement, str):
        return _listed(threads, placement, usable, here, numbers)
    if placement not in PLACEMENTS:
        raise unknown("placement", placement, PLACEMENTS)
    if threads > len(usable):
        raise NativeError(
            f"{threads} threads need {threads} CPUs, and {here}: take fewer threads "
            "(threads that spin on one CPU measure the scheduler, not the lock)"
        )
    known = [cpu for cpu in cpus if cpu.number in usable]
    order = compact(known) if placement == "compact" else spread(known, lambda cpu: cpu.package)
    return tuple([cpu.number for cpu in order] or usable)[:threads]


def _listed(
    threads: int, cpus: Sequence[int], usable: list[int], here: str, online: Collection[int]
) -> tuple[int, ...]:
    """Return an explicit list; an error where a thread cannot have its CPU."""
    if foreign := sorted(set(cpus) - set(usable)):
        why = "is not allowed" if foreign[0] in online else "is offline or does not exist"
        raise NativeError(f"CPU {foreign[0]} cannot be used: it {why}; {here}")
    if len(set(cpus)) != len(cpus):
        raise NativeError(f"the CPU list {list(cpus)} names a CPU twice: list each CPU once")
    if len(cpus) < threads:
        raise NativeError(
            f"{len(cpus)} CPUs for {threads} threads: name at least one CPU for each thread"
        )
    return tuple(cpus[:threads])
