"""What a run gives back, from either engine, and how a run goes wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from locksim.core.places import Place

Numbers = Any
"""Whole numbers in rows: lists from the reference engine, int64 arrays of numpy from the fast one.
Both are read alike (``cpu[0][3]``, ``len(trace)``)."""


class SimulationError(Exception):
    """A simulated program did what stops the run: the message says which CPU, where and what."""

    exit_code = 2


class DeadlockError(SimulationError):
    """No thread can ever go on: the message lists who waits for what, at which source line."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The raw result of one run.

    Arguments:
        end_ps: simulated time at which the run ended (``until_ps``, or when the last thread
            returned).
        events: events processed (the engines may differ: the fast one jumps over idle spins).
        finished: threads that returned.
        cpu: [n_cpus][len(CPU_COUNTERS)].
        locks: [n_locks][len(LOCK_COUNTERS)].
        lines: [n_lines], transactions served on each line.
        trace: [n][5], rows of (time_ps, agent, what, address, value), or None; see
            :mod:`locksim.engine.trace`.
        memory: [n_words], the words at the end.
        origins: [n][3], for each row of the trace its place (index into ``places``), the time
            at which what it tells was asked for, and whether that was exclusive; or None.
        places: where the rows come from; each engine has an order of its own.
    """

    end_ps: int
    events: int
    finished: int
    cpu: Numbers
    locks: Numbers
    lines: Numbers
    trace: Numbers | None
    memory: Numbers
    origins: Numbers | None = None
    places: tuple[Place, ...] = ()
