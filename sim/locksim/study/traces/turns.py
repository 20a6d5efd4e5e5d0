"""Periods in which threads ran on CPUs, from the switches of a trace."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from locksim.lang.ops import Kind

if TYPE_CHECKING:
    from locksim.study.traces.trace import Trace


class Turn(NamedTuple):
    """A thread's time on a CPU, from the switch to it to the next switch or the trace's end."""

    cpu: int
    thread: int
    start_ps: int
    end_ps: int


def turns(trace: Trace) -> list[Turn]:
    """The periods of all threads, sorted by end, then by CPU."""
    n_cpus = trace.tables.n_cpus
    running, since_ps = list(range(n_cpus)), [0] * n_cpus
    found = []
    switches = trace.rows[trace.rows[:, 2] == Kind.SWITCH]
    for time, agent, _, _, thread in switches.tolist():
        cpu = agent >> 1
        found.append(Turn(cpu, running[cpu], since_ps[cpu], time))
        running[cpu], since_ps[cpu] = thread, time
    end_ps = trace.result.end_ps
    return found + [Turn(cpu, running[cpu], since_ps[cpu], end_ps) for cpu in range(n_cpus)]
