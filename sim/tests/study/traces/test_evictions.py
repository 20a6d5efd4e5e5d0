"""Lines that are given up: played back, booked, and told by the player."""

import pytest
from study.traces.test_transfers import booked
from study.traces.traced import ENGINES, traced
from tiny_machine import tables

from locksim.engine.counters import CPU_COUNTERS
from locksim.engine.trace import EVICTED
from locksim.library.locks.mcs import MCSLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.study.traces.player_data import of_trace

FIRST = CPU_COUNTERS.index("upgrades")
SMALL = {"private_sets": 1, "private_ways": 2, "l1_sets": 1, "l1_ways": 1, "private_hit_ps": 5}


@pytest.mark.covering("engine", every=3, first=1)
@pytest.mark.parametrize("engine", ENGINES)
def test_play_back_with_caches_that_end(engine: str) -> None:
    """Who supplies a line after somebody gave it up follows from the rows; buses too."""
    machine = tables(4, bus_kind=1, jitter_ps=30, **SMALL)
    workload = CriticalSection(lock=MCSLock, words=3, think_ps=200)
    trace = traced(workload, machine, engine=engine, until_ps=100_000)
    assert trace.result.cpu[:, FIRST:].tolist() == booked(trace)
    evictions = trace.result.cpu[:, CPU_COUNTERS.index("evictions")]
    assert 0 < evictions.sum() == (trace.rows[:, 2] == EVICTED).sum()


def test_the_player_is_told_who_gave_up_what() -> None:
    """Row, line, CPU, and whether it was written back."""
    workload = CriticalSection(lock=MCSLock, words=3, think_ps=200)
    trace = traced(workload, tables(2, **SMALL), until_ps=50_000)
    told = of_trace(trace)
    names = [line["name"] for line in told["lines"]]
    assert told["evictions"]
    for eviction in told["evictions"]:
        _, agent, what, line, back = trace.rows[eviction["row"]].tolist()
        assert (EVICTED, agent >> 1, bool(back)) == (what, eviction["cpu"], eviction["back"])
        assert trace.line(line) == names[eviction["line"]]
