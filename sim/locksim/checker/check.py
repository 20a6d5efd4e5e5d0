"""The verdict on a lock or a workload: proven, violated, or unfinished.

``proven`` says that every interleaving of this client with this number of threads was explored
under this memory model, and nothing asked for was violated: no more, no less. An exploration that
a budget ended is ``unfinished``, however much it has seen.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from locksim.checker import counterexample as ce
from locksim.checker.client import Client, clients
from locksim.checker.counterexample import Counterexample
from locksim.checker.errors import CheckError
from locksim.checker.explore import Exploration, explore
from locksim.checker.loop import NO_PROGRESS
from locksim.checker.model import (
    WATCH_ASSERTIONS,
    WATCH_EXCLUSION,
    WATCH_RACES,
    Model,
    address_of,
    model,
)
from locksim.checker.progress import doomed
from locksim.compiler.ir import ClassCode
from locksim.lang.struct import Struct, Workload

Progress = Callable[[str, float], None]
PROPERTIES = ("all", "exclusion", "deadlock", "assertion", "memory", "race")
"""What can be asked for. A fault of the program (dead memory used, an index out of range, …) ends
every check, since nothing that follows it has a meaning; "memory" asks for nothing else."""


@dataclass(frozen=True)
class Budget:
    """When to give up.

    Arguments:
        max_states: states of one client. max_seconds: time for all clients together.
        buffer_entries: stores that a store buffer holds under TSO.
        heap_lines: lines that ``alloc`` can hand out.
        history: overtaken messages of a word that are remembered under C11.
    """

    max_states: int = 5_000_000
    max_seconds: float = 600.0
    buffer_entries: int = 8
    heap_lines: int = 16
    history: int = 8


@dataclass(frozen=True)
class Verdict:
    """The answer.

    Arguments:
        lock: name of what was checked. threads: how many. memory: "sc" or "tso".
        property: what was asked, one of PROPERTIES.
        verdict: "proven", "violated" or "unfinished".
        states: different states found, all clients together. depth: steps to the last of them.
        seconds: time spent.
        found: the property that is violated, or "".
        client: name of the client that violates it, or of the last one.
        limits: what the verdict depends on, in sentences; empty if there is nothing to say.
        counterexample: the shortest path to the violation, or None.
    """

    lock: str
    threads: int
    memory: str
    property: str
    verdict: str
    states: int
    depth: int
    seconds: float
    found: str = ""
    client: str = ""
    limits: list[str] = field(default_factory=list)
    counterexample: Counterexample | None = None

    def to_json(self) -> dict[str, Any]:
        """JSON-ready data."""
        told = None if self.counterexample is None else self.counterexample.to_json()
        return {**vars(self), "counterexample": told}


def check_lock(
    lock: Struct | type[Struct],
    *,
    threads: int = 3,
    rounds: int = 1,
    memory: str = "sc",
    property: str = "all",  # noqa: A002 - the contract's word
    budget: Budget | None = None,
    codes: dict[type[Struct], ClassCode] | None = None,
    name: str = "",
    report: Progress | None = None,
) -> Verdict:
    """Check a lock with the standard clients (:mod:`locksim.checker.client`).

    Arguments:
        lock: a Lock or an RWLock, class or description.
        threads: 1 to 8. rounds: critical sections of each.
        memory: "sc" or "tso". property: one of PROPERTIES.
        budget: when to give up.
        codes: bytecode of classes that exist only as parsed text.
        name: for the verdict; by default the class's.
        report: called now and then with a line of text and the share of the states' budget used.

    Raises:
        CheckError: the request makes no sense, or the lock can not be checked.
        CompileError, LinkError, SimulationError: the lock is no valid program.
    """
    cls = lock if isinstance(lock, type) else type(lock)
    return _check(
        name or cls.__name__,
        clients(lock, threads, rounds, codes),
        threads,
        memory,
        property,
        budget or Budget(),
        codes,
        report,
    )


def check_workload(
    workload: Workload,
    *,
    threads: int,
    expect: dict[str, int] | None = None,
    memory: str = "sc",
    property: str = "all",  # noqa: A002 - the contract's word
    budget: Budget | None = None,
    codes: dict[type[Struct], ClassCode] | None = None,
) -> Verdict:
    """Check a workload of one's own; it must be able to end.

    Arguments:
        workload: the description. threads: 1 to 8, each of which runs its ``thread`` program.
        expect: word's name → the value that it must have when all threads have finished.
        memory, property, budget, codes: as for :func:`check_lock`.

    Raises:
        CheckError: the request makes no sense, or the workload can not be checked.
        CompileError, LinkError, SimulationError: it is no valid program.
    """
    name = type(workload).__name__
    client = Client(name, workload, expect or {})
    return _check(name, [client], threads, memory, property, budget or Budget(), codes)


def outcomes(
    workload: Workload,
    *,
    threads: int,
    observe: tuple[str, ...],
    memory: str = "sc",
    budget: Budget | None = None,
) -> set[tuple[int, ...]]:
    """Every combination of values that some words can have when all threads have finished.

    Arguments:
        workload: the description. threads: 1 to 8.
        observe: the words' names. memory: "sc" or "tso". budget: when to give up.

    Raises:
        CheckError: a fault was found, no such word, or the budget does not suffice: a set that may
            lack some combination is never given.
    """
    budget = budget or Budget()
    built = _model(workload, threads, memory, 0, budget, None)
    at = [address_of(built.memory, name) for name in observe]
    found = explore(
        built, deadlock=False, max_states=budget.max_states, max_seconds=budget.max_seconds
    )
    if found.status:
        told = ce.tell(found, found.status, found.state, found.action)
        raise CheckError(f"the workload goes wrong before it ends: {told.message}")
    if not found.complete or found.buffer_was_full or found.forgot:
        raise CheckError(
            f"the outcomes are not complete after {found.states} states: raise the budget"
        )
    finals = np.flatnonzero(found.space.final[: found.states])
    rows = found.shared_rows(finals)[:, at]
    return {tuple(int(x) for x in row) for row in rows}


def _check(
    name: str,
    todo: list[Client],
    threads: int,
    memory: str,
    asked: str,
    budget: Budget,
    codes: dict[type[Struct], ClassCode] | None,
    report: Progress | None = None,
) -> Verdict:
    if asked not in PROPERTIES:
        raise CheckError(f"no property '{asked}'; there are {', '.join(PROPERTIES)}")
    if not budget.max_seconds > 0:
        raise CheckError(f"{budget.max_seconds} seconds: give a time above 0")
    watch = WATCH_EXCLUSION * (asked in ("all", "exclusion"))
    watch |= WATCH_ASSERTIONS * (asked in ("all", "assertion"))
    watch |= WATCH_RACES * (asked in ("all", "race"))
    states, depth, seconds = 0, 0, 0.0
    limits: list[str] = []
    verdict, told, client = "proven", None, todo[-1]
    for client in todo:
        built = _model(client.workload, threads, memory, watch, budget, codes, client.plain)
        expect = client.expect if watch & WATCH_ASSERTIONS else {}
        words = [(address_of(built.memory, word), value) for word, value in expect.items()]
        found = explore(
            built,
            expect=np.array(words, np.int64).reshape(-1, 2),
            deadlock=asked in ("all", "deadlock"),
            max_states=budget.max_states,
            max_seconds=max(1e-3, budget.max_seconds - seconds),
            report=report,
        )
        states, depth = states + found.states, max(depth, found.depth)
        seconds += found.seconds
        begun = time.perf_counter()
        told = _violation(found, asked, expect)
        seconds += time.perf_counter() - begun
        if told is not None:
            verdict = "violated"
            break
        if not found.complete:
            verdict = "unfinished"
            limits = [_unfinished(found, budget)]
            break
        if found.buffer_was_full:
            limits = [
                f"store buffers of {budget.buffer_entries} entries were full at times: "
                "nothing is said about larger ones"
            ]
        if found.forgot:
            limits = [
                f"words had more than {budget.history} overtaken values that somebody could still "
                "read: nothing is said about reading older ones"
            ]
    return Verdict(
        lock=name,
        threads=threads,
        memory=memory,
        property=asked,
        verdict=verdict,
        states=states,
        depth=depth,
        seconds=seconds,
        found="" if told is None else told.found,
        client=client.name,
        limits=limits,
        counterexample=told,
    )


def _violation(found: Exploration, asked: str, expect: dict[str, int]) -> Counterexample | None:
    if found.status:
        return ce.tell(found, found.status, found.state, found.action, expect)
    if asked in ("all", "deadlock") and found.complete:
        lost = doomed(found)
        if lost is not None:
            return ce.tell(found, NO_PROGRESS, lost, -1)
    return None


def _unfinished(found: Exploration, budget: Budget) -> str:
    why = {
        "states": f"the budget of {budget.max_states} states",
        "time": f"the budget of {budget.max_seconds:g} seconds",
        "heap": f"the heap of {budget.heap_lines} lines",
    }[found.stopped]
    return f"not finished, no proof: {why} was used up; explored to depth {found.depth}"


def _model(
    workload: Workload,
    threads: int,
    memory: str,
    watch: int,
    budget: Budget,
    codes: dict[type[Struct], ClassCode] | None,
    plain: tuple[str, ...] = (),
) -> Model:
    return model(
        workload,
        threads,
        memory,
        codes=codes,
        buffer_entries=budget.buffer_entries,
        heap_lines=budget.heap_lines,
        history=budget.history,
        plain=plain,
        watch=watch,
    )
