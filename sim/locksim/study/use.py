"""Use a struct on many CPUs until all threads have returned, and keep its memory for a check.

A proof begins with fresh memory and a few CPUs; a measurement ends far from there. This run leads
from the one to the other. The CPUs of the measurement use the struct, each a number of times of
its own, and return. What they leave behind is where a check can begin
(:mod:`locksim.checker.models.prior_use`).

The run is a test in itself. Some CPUs come often and some never. A lock that passes itself round in
a ring, or that counts on every CPU to come back, gets stuck.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from locksim import machine as machines
from locksim.checker.models.prior_use import Used
from locksim.compiler.bytecode import Place
from locksim.core.memory import words_of
from locksim.core.result import SimulationError
from locksim.engine.counters import LOCK_COUNTERS
from locksim.engine.fast.engine import Session
from locksim.engine.prepared import prepare
from locksim.lang.randomness import draw
from locksim.lang.struct import Workload
from locksim.study.simulation import Watched

__all__ = ["Use", "drawn_cpus", "use"]

HEAP_LINES = 1 << 10
PATIENCE_PS = 10**9
"""Simulated time (1 ms) without a unit of work after which a run counts as a livelock."""


@dataclass(frozen=True)
class Use:
    """What a run to the end has left and shown.

    Arguments:
        used: the memory. words: name → last value, of the workload's words.
        acquired: how often metered structs were taken. violations: of mutual exclusion.
        objects: what was allocated and not freed, in lines of the heap.
        ran: the operations that other threads can notice, and the CPUs that ran each; empty if the
            run was not watched.
    """

    used: Used
    words: dict[str, int]
    acquired: int
    violations: int
    objects: int
    ran: dict[Place, frozenset[int]] = field(default_factory=dict, repr=False)


def use(
    workload: Workload,
    *,
    part: str,
    machine: str,
    cpus: int,
    on: tuple[int, ...],
    seed: int,
    longest_ps: int,
    watch: bool = False,
) -> Use:
    """Run a workload whose threads return, and keep its memory.

    Arguments:
        workload: the description; it says ``done()`` after each use.
        part: name of the part that will be checked.
        machine: a profile's name. cpus: number of CPUs, with one thread on each.
        on: CPU of each thread of the check. seed: of the random streams.
        longest_ps: simulated time that the run may take.
        watch: whether to note which operations each CPU runs.

    Raises:
        CompileError, LinkError: the program is outside the language.
        SimulationError: a fault, a deadlock, or threads that have not returned in time.
    """
    tables = machines.load(machine).tables(cpus, "compact")
    image, memory = prepare(workload, tables, heap_lines=HEAP_LINES)
    watched = Watched(image, cpus) if watch else None
    session = Session(image, memory, tables, seed=seed, trace=watched or False)
    done = -1
    while not session.finished:
        if session.done() == done or session.time_ps >= longest_ps:
            raise session.livelock()
        done = session.done()
        session.advance(session.time_ps + PATIENCE_PS)
    state, result = session.state, session.result()
    heap = HEAP_LINES if memory.types else 0
    used = Used(
        part=part,
        memory=memory,
        static_lines=len(memory.live) - heap,
        words=state.words.tolist(),
        live=state.live.tolist(),
        object_type=state.object_type.tolist(),
        heap_next=session.heap_next,
        machine=tables,
        cpus=on,
    )
    total, violations = (
        int(result.locks[:, LOCK_COUNTERS.index(name)].sum()) for name in ("total", "violations")
    )
    words = {name: int(state.words[at]) for at, name, _ in words_of(memory.root, "")}
    objects = sum(map(bool, used.live[used.static_lines :]))
    ran = {} if watched is None else watched.cpus_by_place()
    return Use(used, words, total, violations, objects, ran)


def drawn_cpus(seed: int, threads: int, cpus: int) -> tuple[int, ...]:
    """Different CPUs of a machine, one for each thread, drawn by a seed.

    Raises:
        SimulationError: there are fewer CPUs than threads.
    """
    if threads > cpus:
        raise SimulationError(f"{threads} threads need {threads} CPUs (there are {cpus})")
    left, found = list(range(cpus)), []
    for k in range(threads):
        found.append(left.pop(draw(seed, threads, k) % len(left)))
    return tuple(found)
