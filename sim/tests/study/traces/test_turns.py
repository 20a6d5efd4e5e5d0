"""Traces of programs that switch threads: turns, the acquisitions of threads, Perfetto's tracks."""

from __future__ import annotations

from itertools import pairwise

import pytest
from study.traces.traced import ENGINES, traced
from tiny_machine import tables

from locksim.engine.counters import CPU_COUNTERS, LOCK_COUNTERS
from locksim.library.workloads.token_ring import TokenRing
from locksim.study.traces.acquisitions import NOTHING
from locksim.study.traces.trace import Trace
from locksim.study.traces.turns import turns

CPUS = 4


def ring(engine: str = "fast") -> Trace:
    """Ten tasks on four CPUs."""
    workload = TokenRing(tasks=10, ring=3, work_ps=2_000)
    return traced(workload, tables(CPUS), engine=engine, until_ps=400_000)


@pytest.mark.parametrize("engine", ENGINES)
def test_turns_fill_every_cpu(engine: str) -> None:
    """They follow one another without a gap, and no thread has two at a time."""
    trace = ring(engine)
    found = turns(trace)
    switches = trace.result.cpu[:, CPU_COUNTERS.index("switches")]
    for cpu in range(CPUS):
        mine = [turn for turn in found if turn.cpu == cpu]
        assert switches[cpu] + 1 == len(mine)
        edges = [0, *(turn.end_ps for turn in mine)]
        assert [*edges[:-1]] == [turn.start_ps for turn in mine]
        assert trace.result.end_ps == edges[-1]
    for thread in range(CPUS, CPUS + 10):
        times = sorted((t.start_ps, t.end_ps) for t in found if t.thread == thread)
        assert all(a[1] <= b[0] for a, b in pairwise(times))


def test_a_lock_that_another_thread_releases() -> None:
    """Acquisitions are those of the meters, though a run queue's lock is held across a switch."""
    trace = ring()
    for number, lock in enumerate(trace.result.locks.tolist()):
        counts = dict(zip(LOCK_COUNTERS, lock, strict=True))
        mine = [a for a in trace.attribution.acquisitions if a.lock == number]
        assert counts["total"] == sum(a.acquired_ps != NOTHING for a in mine)
        assert counts["hold_ps"] == sum(a.released_ps - a.acquired_ps for a in mine if a.complete)


def test_perfetto_shows_who_runs() -> None:
    """A process "Threads" with a track a CPU; none where every thread has its CPU."""
    trace = ring()
    events = trace.to_chrome()["traceEvents"]
    slices = [e for e in events if e["pid"] == 3 and e["ph"] == "X"]
    assert len(turns(trace)) == len(slices)
    assert {"thread 0 (idle)", "thread 4", "thread 13"} <= {e["name"] for e in slices}
    assert {300_000 + cpu for cpu in range(4)} == {e["tid"] for e in slices}
