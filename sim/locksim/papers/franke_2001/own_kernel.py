"""Chatroom on the kernel of 2001 with another cache of decisions, or another scheduler.

The machine, the costs and the rest of the kernel are those of the reproduction
(:mod:`locksim.papers.franke_2001.setting`). So a student's cache or run queues meet the load of
2001.
"""

from __future__ import annotations

from typing import Any

from locksim import machine as machines
from locksim.kinds.kind import offers, resized
from locksim.lang.fields import param
from locksim.lang.struct import DecisionCache, Struct
from locksim.library.avc.avc_of import AvcOf
from locksim.papers.franke_2001.setting import LOCKS, MACHINE, Costs, Run, run

_CACHE = ("has_perm", "update", "syscall_exit")
_SCHEDULER = ("idle", "begin", "schedule", "resched", "wake_up_process", "halt", "put_aside")


class WrongPartError(Exception):
    """A struct cannot be the kernel's cache or scheduler; the message says what it lacks."""

    exit_code = 2


def own_kernel(kernel: str, rooms: int, cpus: int, **options: Any) -> Run:
    """Simulate a complete run of Chatroom on the machine of 2001.

    Arguments:
        kernel, rooms, cpus, options: as for :func:`~locksim.papers.franke_2001.setting.run`.

    Raises:
        SimulationError: the run got stuck, or an assertion of the cache failed.
    """
    return run(machines.load(MACHINE), kernel, rooms, cpus, Costs(), **options)


def meter(one: Run) -> list[dict[str, Any]]:
    """Lock meter columns of the kernel's locks, as :meth:`Simulation.by_lock` has them.

    A lock that was split, or given to each CPU, counts as one: HOLD and WAIT are means over all its
    parts, and UTIL is the sum of theirs. A lock that was never taken has no row.
    """
    window_ps = one.seconds * 1e12
    return [
        {
            "lock": name,
            "side": "write",
            "util": c["hold_ps"] / window_ps,
            "con": one.contention(name),
            "hold_ns": one.hold_us(name) * 1e3,
            "hold_max_ns": c["hold_max_ps"] / 1e3,
            "wait_ns": one.wait_us(name) * 1e3,
            "wait_max_ns": c["wait_max_ps"] / 1e3,
            "cpu_share": one.waiting_share(name),
            "total": c["total"],
            "per_second": c["total"] / one.seconds,
            "violations": c["violations"],
        }
        for name, c in ((name, one.locks[name]) for name in LOCKS)
        if c["total"]
    ]


def cache_of(struct: type[Struct], *, salt: int = 1, **settings: int) -> Struct:
    """The kernel's cache, made of a struct.

    Arguments:
        struct: a ``DecisionCache``, whose decisions are then sealed, or an access vector cache.
        salt: of the seals. settings: of the struct's own parameters.

    Raises:
        WrongPartError: it is neither, or has no such parameter.
    """
    known = [name for name, field in struct.FIELDS.items() if isinstance(field, param)]
    for name in settings.keys() - set(known):
        there = ", ".join(known) or "none"
        raise WrongPartError(f"{struct.__name__} has no param {name}; there are: {there}")
    search_ps = Costs().search_ps
    if issubclass(struct, DecisionCache):
        return AvcOf(cache=resized(struct, **settings), search_ps=search_ps, salt=salt)
    if not all(offers(struct, method) for method in _CACHE):
        raise WrongPartError(
            f"{struct.__name__} cannot be the kernel's decision cache\n"
            "help: write it as a subclass of DecisionCache"
        )
    return resized(struct, search_ps=search_ps, **settings)


def scheduler_of(struct: type[Struct]) -> Struct:
    """The kernel's scheduler, made of a struct.

    Raises:
        WrongPartError: it is not a scheduler.
    """
    missing = [method for method in _SCHEDULER if not offers(struct, method)]
    if missing:
        raise WrongPartError(
            f"{struct.__name__} cannot be the kernel's scheduler: it has no {', '.join(missing)}\n"
            "help: derive it from Scheduler (locksim.library.schedulers.interface)"
        )
    return struct()
