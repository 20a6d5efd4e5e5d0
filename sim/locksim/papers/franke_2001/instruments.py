"""Lockmeter and kernprof in the kernel of franke-2001, as compile options put them there.

Lockmeter stands in place of every spinlock. Its tables lie behind the kernel in memory. Their
address is a parameter of every lock, as a linker would write it into the code; so the workload is
laid out twice, and the second time knows it. Kernprof's calls stand at the head of functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from locksim.core.memory import Memory
from locksim.lang import Struct, Workload, part
from locksim.lang.layout import Space
from locksim.lang.struct import tasks_of
from locksim.library.instruments.kernprof import Kernprof, ProfiledLoopback, ProfiledTwoFour
from locksim.library.instruments.lockmeter import Lockmeter, MeteredLock
from locksim.library.locks.ttas import TTASLock
from locksim.library.workloads.chatroom import Chatroom
from locksim.machine import MachineTables, Parameter

ROWS = {
    "Loopback.cache.lock": 1,
    "Loopback.security_server.lock": 2,
    "Loopback.scheduler.runqueue_lock": 3,
    "Chatroom.kernel.semaphores_lock": 4,
    "Loopback.socks.lock": 5,
    "Sock.owners.lock": 6,
    "Sock.sleep.lock": 6,
    "AvcTwoFour.server.lock": 7,
}
"""The kernel's spinlocks → their rows in lockmeter's tables. In the kernel the last one is ss_lock
too. It has a row of its own because only the first misses of a run take it, and the cache of a
kernel that was measured over ten runs had its decisions already."""


class MeteredChatroom(Chatroom):
    """Chatroom on a kernel with lockmeter."""

    lockmeter = part(Lockmeter, padded=True)


def metered(workload: Chatroom, tables: MachineTables) -> MeteredChatroom:
    """The workload with a metered lock in place of every spinlock of the kernel.

    Arguments:
        workload: a description. tables: the machine.

    Raises:
        KeyError: a spinlock that has no row in ``ROWS``.
    """
    line = tables.words_per_line
    first = _rebuilt(workload, 0)
    space = Space(line, tables.n_cpus, tasks_of(first), built_with(first), tables.n_nodes)
    return _rebuilt(workload, line + space.layout(first).offset("lockmeter"))


def built_with(workload: Workload) -> list[Struct]:
    """What a pointer means in a metered kernel: a struct as it is there, with a metered lock."""
    found: dict[type[Struct], Struct] = {}
    todo: list[Struct] = [workload]
    while todo:
        struct = todo.pop()
        todo += struct._parts.values()
        if struct._parts:
            found[type(struct)] = struct
    return list(found.values())


def profiled(workload: Chatroom) -> Chatroom:
    """The workload on a kernel with kernprof's calls in it."""
    kernel = workload._parts["kernel"]
    scheduler = kernel._parts["scheduler"]
    named = {**kernel._params, **kernel._parts}
    named["scheduler"] = ProfiledTwoFour(**scheduler._params, **scheduler._parts)
    return Chatroom(**{**workload._params, "kernel": ProfiledLoopback(**named)})


def readings(memory: Memory, words: npt.NDArray[np.int64], lock: str) -> dict[str, int]:
    """A lock's row of lockmeter's tables, over all CPUs, under the names of the engine's own meter.

    Arguments:
        memory: of a metered workload. words: at the run's end. lock: its place in the kernel.
    """
    row = ROWS[f"Loopback.{lock}"]
    cpus = memory.space.n_cpus
    rows = [memory.root.lockmeter.counts[i].rows[row] for i in range(cpus)]  # type: ignore[attr-defined]

    def column(name: str) -> list[int]:
        return [int(words[int(getattr(one, name))]) for one in rows]

    waited, spun = sum(column("wait")), sum(column("spin"))
    return {
        "total": sum(column("no_wait")) + spun,
        "contended": spun,
        "wait_ps": waited,
        "wait_max_ps": max(column("longest_wait")),
        "hold_ps": sum(column("hold")),
        "hold_max_ps": max(column("longest_hold")),
    }


def lockmeter_parameters() -> list[Parameter]:
    """The costs of lockmeter's own instructions."""
    lock = MeteredLock()._params
    counted = "instructions of kernel/lockmeter.c (about {}) counted by hand, 0.7 ns each: McKenney"
    return [
        Parameter(
            "lockmeter.clock_ps",
            lock["clock_ps"],
            "ps",
            "rdtsc on a P6: 32 cycles; no source at hand for this CPU",
            "assumed",
        ),
        Parameter("lockmeter.lookup_ps", lock["lookup_ps"], "ps", counted.format(42), "assumed"),
        Parameter("lockmeter.return_ps", lock["return_ps"], "ps", counted.format(12), "assumed"),
    ]


def kernprof_parameters() -> list[Parameter]:
    """The costs of kernprof's calls, and their number."""
    calls = Kernprof()._params
    return [
        Parameter(
            "kernprof.functions",
            4 * ProfiledLoopback()._params["functions"],
            "1",
            "functions that a message calls in its send and its receive: cg_record_arc's own time "
            "in vanilla, 28.35 s for 1,600,003 messages",
            "fitted",
        ),
        Parameter(
            "kernprof.call_ps",
            calls["call_ps"],
            "ps",
            "instructions of mcount and cg_record_arc (about 45) counted by hand, 0.7 ns each",
            "assumed",
        ),
        Parameter(
            "kernprof.atomic_ps",
            calls["atomic_ps"],
            "ps",
            "the machine's atomic increment, three hits in L1 and a store",
            "derived",
        ),
    ]


def _rebuilt(workload: Chatroom, tables_at: int) -> MeteredChatroom:
    return MeteredChatroom(**_settings(workload, "", tables_at))


def _settings(struct: Struct, place: str, tables_at: int) -> dict[str, Any]:
    """A description's parameters, and its parts with metered locks.

    Arguments:
        place: the struct that it is in, and its field there, with a dot behind each.
    """
    parts: dict[str, Struct] = {}
    for name, one in struct._parts.items():
        if type(one) is TTASLock:
            parts[name] = MeteredLock(tables=tables_at, caller=ROWS[place + name])
        else:
            inner = f"{type(struct).__name__}.{name}."
            parts[name] = type(one)(**_settings(one, inner, tables_at))
    return {**struct._params, **parts}
