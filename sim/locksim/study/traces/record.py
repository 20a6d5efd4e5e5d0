"""Run a workload from time 0 and record its trace.

The fast engine jumps over idle spins while it records. Spin iterations that only hit are left out,
so that a trace consists of changes. Nothing else is missing, and the counters are those of a run
that executes all iterations.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from locksim import machine as machines
from locksim.engine.prepared import prepare
from locksim.machine import Machine
from locksim.study.simulation import Placement
from locksim.study.traces.errors import TraceError
from locksim.study.traces.trace import Trace

if TYPE_CHECKING:
    from locksim.core.memory import Memory
    from locksim.engine.fast.engine import Session
    from locksim.lang.struct import Workload

MOST_ROWS = 1_000_000
FIRST_STEP_PS = 1_000_000
LONGEST_PS = 10**12
"""Simulated time (1 s) after which every trace ends."""


def record(
    workload: Workload,
    *,
    machine: str | Machine = "ideal-8",
    cpus: int | None = None,
    placement: Placement = "compact",
    seed: int = 1,
    rows: int = 10_000,
    until_ps: int | None = None,
    heap_lines: int | None = None,
    title: str = "",
) -> Trace:
    """Record a workload's trace from time 0.

    Arguments:
        workload, machine, cpus, placement, seed, heap_lines: as for
            :func:`locksim.simulate`.
        rows: largest number of rows; the trace ends before the moment that would exceed it.
        until_ps: time at which to end instead.
        title: for exports; by default workload and machine.

    Raises:
        TraceError: the number of rows is out of range.
        CompileError, LinkError, MachineError, SimulationError: as for :func:`locksim.simulate`.
    """
    from locksim.engine.fast.engine import Session

    if not 1 <= rows <= MOST_ROWS:
        raise TraceError(f"the rows of a trace must be between 1 and {MOST_ROWS:,} (got {rows})")
    profile = machines.load(machine) if isinstance(machine, str) else machine
    tables = profile.tables(profile.n_cpus if cpus is None else cpus, placement)
    image, memory = prepare(workload, tables, heap_lines=heap_lines)

    def run(end_ps: int | None) -> Session:
        session = Session(image, memory, tables, seed=seed, trace=True)
        step = FIRST_STEP_PS
        while end_ps is None and not session.finished and session.time_ps < LONGEST_PS:
            session.advance(session.time_ps + step)
            if sum(map(len, session.rows)) > rows:
                return session
            step *= 2
        if end_ps is not None:
            session.advance(end_ps)
        return session

    session = run(until_ps)
    found = session.result()
    if until_ps is None and found.trace is not None and len(found.trace) > rows:
        # Run again up to that row, so that counters, lines and rows are of the same moment.
        session = run(int(found.trace[rows, 0]))
    return Trace(
        result=session.result(),
        memory=dataclasses.replace(memory, object_type=_kinds(memory, session).tolist()),
        tables=tables,
        seed=seed,
        title=title or f"{type(workload).__name__} on {profile.name}",
    )


def _kinds(memory: Memory, session: Session) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The type allocated at each line, live or in a free list."""
    state = session.state
    kinds = state.object_type.copy()
    for heads in state.free_head:
        for number in range(len(memory.types)):
            line = int(heads[number])
            while line:
                kinds[line] = number + 1
                line = int(state.free_next[line])
    return kinds
