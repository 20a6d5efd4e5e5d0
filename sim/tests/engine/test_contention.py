"""What load does to a line beyond a first-come queue: laws, computed cases, and equal engines."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from engine.engine_pair import compare, run_pair
from engine.fast.test_ways import NEVER, plain_until
from engine.reference.test_laws import machines, program_of, programs
from engine.test_equal_random import HEAP_LINES, durations, folder, imported, seeds
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_machines import arbitrations, contended
from random_workloads import workloads
from tiny_machine import MEMORY, TRANSFER, TRANSFER_FAR, after, run, served

from locksim.engine.counters import CPU_COUNTERS
from locksim.engine.trace import SERVED
from locksim.lang.randomness import ARBITRATIONS, draw

__all__ = ["folder"]
NEAR = {"arbitration": 1, "arbitration_passes": 5}
RANDOM = {"arbitration": 2}


def add(self: Any) -> Any:
    """One atomic addition to word a."""
    yield self.a.fetch_add(1)


def adds(self: Any) -> Any:
    """Four of them."""
    for _ in range(4):
        yield self.a.fetch_add(1)


def order(*programs: Any, **machine: Any) -> list[int]:
    """The CPUs in the order in which line 1 served them."""
    return [agent // 2 for _, agent, line, _ in served(*programs, **machine) if line == 1]


# Arbitration

ARRIVALS = (add, after(20, add), after(10, add))
"""CPU 0 gets the line; CPU 2, in the other node, asks before CPU 1 does."""


def test_the_nearest_request_is_served_first() -> None:
    """CPU 0 passes the line on to CPU 1 in its node, though CPU 2 asked before it.

    Computed: memory, then a transfer within the node and one between nodes, where the order of
    arrival needs two between nodes.
    """
    near = [(0, 0), (MEMORY, 1), (MEMORY + TRANSFER, 2)]
    first = [(0, 0), (MEMORY, 2), (MEMORY + TRANSFER_FAR, 1)]
    assert near == [(time, agent // 2) for time, agent, _, _ in served(*ARRIVALS, **NEAR)]
    assert first == [(time, agent // 2) for time, agent, _, _ in served(*ARRIVALS)]


def test_a_request_is_passed_no_oftener_than_the_bound() -> None:
    """CPUs 0 and 1 want the line four times each; CPU 2 is passed twice, then it is served."""
    machine = {"arbitration": 1, "arbitration_passes": 2}
    assert [0, 1, 0, 2] == order(adds, after(20, adds), after(10, add), **machine)[:4]


def test_any_waiting_request_may_be_served() -> None:
    """Which of three comes first is the stream's draw; over 60 seeds each of them does."""
    programs = [add, *(after(10 * cpu, add) for cpu in (1, 2, 3))]
    first = Counter()
    for seed in range(60):
        found = order(*programs, **RANDOM, seed=seed)
        assert 1 + draw(seed, ARBITRATIONS, 0) % 3 == found[1]
        first[found[1]] += 1
    assert {1, 2, 3} == set(first)


@given(programs, machines, st.integers(1, 4))
def test_no_request_starves(plans, machine, passes):
    """With k requests before it, one is served after at most (k + 1) x passes + k others."""
    result = run(*map(program_of, plans), **machine, arbitration=1, arbitration_passes=passes)
    assert result.trace is not None
    assert result.origins is not None
    asked: dict[int, list[tuple[int, int]]] = {}
    for row, (_, since, _) in zip(result.trace.tolist(), result.origins.tolist(), strict=True):
        if row[2] == SERVED:
            asked.setdefault(row[3], []).append((since, row[0]))
    for requests in asked.values():
        for since, at in requests:
            before = sum(s <= since and since <= e for s, e in requests) - 1
            others = sum(since < e < at for _, e in requests)
            assert others <= (before + 1) * passes + before


@given(programs, machines, arbitrations())
def test_the_order_of_service_loses_no_operation(plans, machine, rule):
    """Whatever the order: every program ends, and each CPU has done what it does in any order."""
    plain, other = (run(*map(program_of, plans), **machine, **more) for more in ({}, rule))
    assert 4 == plain.finished == other.finished
    for name in ("loads", "stores", "rmws"):
        column = CPU_COUNTERS.index(name)
        assert plain.cpu[:, column].tolist() == other.cpu[:, column].tolist()


# Both engines


@settings(suppress_health_check=list(HealthCheck))
@given(text=workloads(), tables=contended(), seed=seeds, until_ps=durations)
def test_random_programs(folder, text, tables, seed, until_ps):
    """Traces, counters, meters, memory and errors agree, with the fast engine's plain loop."""
    with plain_until(NEVER):
        pair = run_pair(
            imported(text, folder)(), tables, seed=seed, until_ps=until_ps, heap_lines=HEAP_LINES
        )
    compare(pair)


@pytest.mark.slow
@settings(suppress_health_check=list(HealthCheck), max_examples=1000)
@given(text=workloads(), tables=contended(), seed=seeds, until_ps=durations)
def test_random_programs_compiled(folder, text, tables, seed, until_ps):
    """The same with compiled code, and many more of them."""
    pair = run_pair(
        imported(text, folder)(), tables, seed=seed, until_ps=until_ps, heap_lines=HEAP_LINES
    )
    compare(pair)
