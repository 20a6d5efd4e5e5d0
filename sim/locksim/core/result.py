"""The result of a run of either engine, and the errors that stop a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from locksim.core.places import Place

Numbers = Any
"""Whole numbers in rows: lists from the reference engine, int64 arrays of numpy from the fast one.
Both are read alike (``cpu[0][3]``, ``len(trace)``)."""


class SimulationError(Exception):
    """A simulated program failed; the message has the CPU, the place and the cause."""

    exit_code = 2


class DeadlockError(SimulationError):
    """No thread can continue; the message lists each thread, its wait and its source line."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """The raw result of one run.

    Arguments:
        end_ps: simulated time at which the run ended (``until_ps``, or when the last thread
            returned).
        events: events processed (fewer in the fast engine, which jumps over idle spins).
        finished: threads that returned.
        cpu: [n_cpus][len(CPU_COUNTERS)].
        locks: [n_locks][len(LOCK_COUNTERS)].
        lines: [n_lines], served transfers of each line.
        trace: [n][5], rows of (time_ps, agent, what, address, value), or None; see
            :mod:`locksim.engine.trace`.
        memory: [n_words], the words at the end.
        origins: [n][3], the provenance of each row of the trace: its place (index into ``places``),
            the time of the request, and whether that was exclusive; or None.
        places: places of the rows; each engine has its own order.
        durations: how many waits and holds were in each bucket, by lock and column; see
            :data:`locksim.engine.meters.HISTOGRAMS`.
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
    durations: dict[tuple[int, int], int] = field(default_factory=dict)
