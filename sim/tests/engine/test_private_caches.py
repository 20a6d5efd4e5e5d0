"""Caches have an end: what is given up, what that costs, and that both engines agree on it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from arrays import reference_run
from engine.engine_pair import compare, difference, run_pair
from engine.reference.test_laws import machines, program_of, programs, sums
from hypothesis import given
from hypothesis import strategies as st
from random_machines import caches
from tiny_machine import (
    L1,
    MEMORY,
    RMW,
    Row,
    board,
    counts,
    notes,
    rows_of,
    run,
    served,
    tables,
)

from locksim.core.memory import build
from locksim.core.result import RunResult
from locksim.engine.reference import engine as reference
from locksim.kinds import kind_of
from locksim.lang import RELAXED, Workload, array, compute, note, word
from locksim.library import registry

ONE_WAY = {"private_sets": 1, "private_ways": 1}
TWO_WAYS = {"private_sets": 1, "private_ways": 2}
LINE_A, LINE_B, LINE_C = 1, 2, 3


def evicted(rows: list[Row]) -> list[tuple[int, int, int, int]]:
    """The lines that were given up: (time, agent, line, written back)."""
    return [(time, agent, at, back) for time, agent, what, at, back in rows if what == "evicted"]


def loads(*names: str) -> Any:
    """A program that loads words."""
    return program_of([("load", name, 0) for name in names])


# What is given up


def test_the_least_recently_used_line_of_a_full_set_gives_way() -> None:
    """A hit counts as use: after a, b, a it is b that gives way to c, and then c to b."""
    rows = rows_of(loads("a", "b", "a", "c", "a", "b"), **TWO_WAYS)
    assert [LINE_B, LINE_C] == [line for _, _, line, _ in evicted(rows)]
    lines = [at for _, _, what, at, _ in rows if what == "served"]
    assert [LINE_A, LINE_B, LINE_C, LINE_B] == lines


def test_sets_do_not_disturb_each_other() -> None:
    """With two sets of one line, a and c share the set of odd addresses; b has its own."""
    rows = rows_of(loads("a", "b", "c", "b", "a"), private_sets=2, private_ways=1)
    assert [LINE_A, LINE_C] == [line for _, _, line, _ in evicted(rows)]


def test_a_line_that_nobody_holds_any_more_comes_from_memory() -> None:
    """Given up by its only owner, a line costs the latency of memory; so does the way back."""
    result = run(loads("a", "b", "a"), **ONE_WAY)
    assert {"memory": 3, "evictions": 2, "capacity": 1} == {
        name: n
        for name, n in counts(result, 0).items()
        if name in ("memory", "evictions", "writebacks", "capacity", "hits")
    }
    assert 3 * MEMORY == result.end_ps


def test_other_sharers_keep_their_copies() -> None:
    """CPU 0 gives its shared copy up; CPU 1 still hits."""

    def second(self: Any) -> Any:
        yield compute(MEMORY)
        yield self.a.load()
        yield compute(10_000)
        yield self.a.load()

    def first(self: Any) -> Any:
        yield self.a.load()
        yield compute(5_000)
        yield self.b.load()

    result = run(first, second, **ONE_WAY)
    assert 1 == counts(result, 0)["evictions"]
    assert 1 == counts(result, 1)["hits"]


# What it costs


def test_a_clean_line_goes_without_a_word() -> None:
    """No bus is taken for it, and who asks for it next does not wait."""
    rows = rows_of(loads("a", "b"), **ONE_WAY, bus_kind=2)
    assert [(MEMORY, 0, LINE_A, 0)] == evicted(rows)
    plain = served(loads("a", "b"), bus_kind=2)
    assert plain == served(loads("a", "b"), **ONE_WAY, bus_kind=2)


def test_a_modified_line_takes_the_bus_and_is_busy_until_memory_has_it() -> None:
    """Written back behind the request that made room; then CPU 1 gets it from memory."""

    def writer(self: Any) -> Any:
        yield self.a.fetch_add(1)
        yield self.b.load()

    def reader(self: Any) -> Any:
        yield compute(MEMORY + RMW + 1)
        yield self.a.load()

    rows = rows_of(writer, reader, cpus=2, bus_kind=2, bus_ps=30, **ONE_WAY)
    gone = MEMORY + RMW
    assert [(gone, 0, LINE_A, 1)] == evicted(rows)
    back = gone + 30 + MEMORY  # the bus first serves b
    _, _, (time, agent, line, ready) = served(
        writer, reader, cpus=2, bus_kind=2, bus_ps=30, **ONE_WAY
    )
    assert (back, 2, LINE_A, back + MEMORY) == (time, agent, line, ready)


def test_who_waits_for_a_line_waits_for_its_way_back_too() -> None:
    """A request queued behind a tenure finds the line given up: it is served when memory has it."""

    def writer(self: Any) -> Any:
        yield self.a.fetch_add(1)
        yield self.b.load()

    def waiter(self: Any) -> Any:
        yield compute(10)
        yield self.a.fetch_add(1)

    told = [
        served(writer, waiter, cpus=2, tenure_ps=40, **caches)[-1][:3] for caches in ({}, ONE_WAY)
    ]
    evicted_at = MEMORY + RMW  # within the tenure, which ends at MEMORY + 40
    assert [(MEMORY + 40, 2, LINE_A), (evicted_at + MEMORY, 2, LINE_A)] == told


def test_an_operation_under_way_survives_the_loss_of_its_line() -> None:
    """Core and store buffer compete for one way: both complete, and nobody starves."""

    def program(self: Any) -> Any:
        yield self.a.store(1, RELAXED)
        yield self.b.load()
        yield self.a.load()

    rows = rows_of(program, **ONE_WAY)
    assert [LINE_A] == [line for _, _, line, _ in evicted(rows)][:1]
    assert [1] == [value for _, _, what, at, value in rows if what == "load" and at == 8]


# Two levels


def test_a_hit_beyond_l1_takes_longer() -> None:
    """Two lines in a private cache with an L1 of one line: each use of the other costs more."""
    near = {"l1_sets": 1, "l1_ways": 1, "private_hit_ps": L1 + 6}

    def program(self: Any) -> Any:
        yield self.a.fetch_add(1)
        yield self.b.fetch_add(1)
        yield note(1)
        yield self.b.load()
        yield note(2)
        yield self.a.load()
        yield note(3)
        yield self.b.fetch_add(1)
        yield note(4)

    times = [time for time, _, _ in notes(program, **TWO_WAYS, **near)]
    assert [L1, L1 + 6, RMW + 6] == np.diff(times).tolist()
    assert 2 == counts(run(program, **TWO_WAYS, **near), 0)["beyond_l1"]


# Laws


def held(engine: reference.Engine, cpu: int) -> list[int]:
    """The lines of which a CPU is owner or sharer."""
    return sorted(n for n, line in engine.lines.items() if line.readable(cpu))


@given(programs, machines, caches(), st.integers(0, 3_000))
def test_a_set_never_holds_more_than_its_ways(plans, machine, cache, until_ps):
    """At any moment: the sets hold what the CPU owns or shares, no more than ways, and L1 of it."""
    memory = board(*map(program_of, plans))
    engine = reference.Engine(memory, tables(4, **machine, **cache), 1, False, None)
    engine.run(until_ps)
    assert engine.caches is not None
    for cpu in range(4):
        level = engine.caches.private[cpu]
        assert all(len(lines) <= level.ways for lines in level.lines)
        assert held(engine, cpu) == sorted(n for lines in level.lines for n in lines)
        for l1 in engine.caches.l1[cpu : cpu + 1]:
            assert all(len(lines) <= l1.ways for lines in l1.lines)
            assert {n for lines in l1.lines for n in lines} <= {*held(engine, cpu)}


@given(programs, machines, st.sampled_from([(1, 8), (2, 4), (8, 1)]))
def test_caches_with_room_for_all_change_nothing(plans, machine, shape):
    """With room for the whole footprint the trace is that of unbounded caches."""
    sets, ways = shape
    finite = {"private_sets": sets, "private_ways": ways}
    whole = [run(*map(program_of, plans), **machine, **more) for more in ({}, finite)]
    assert "" == difference(*whole, trace=True)
    assert 0 == sums(whole[1])["evictions"]


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=40), st.integers(1, 3))
def test_more_ways_never_miss_more(names, ways):
    """The stack property of LRU: what k ways hold, k + 1 ways hold too."""
    fewer, more = (
        sums(run(loads(*names), cpus=1, private_sets=1, private_ways=n))["memory"]
        for n in (ways, ways + 1)
    )
    assert more <= fewer


@given(programs, machines, caches())
def test_every_access_hits_or_is_a_transaction(plans, machine, cache):
    """Also with caches that end; and there are no more capacity misses than evictions."""
    result = run(*map(program_of, plans), **machine, **cache)
    count = sums(result)
    accesses = count["loads"] - count["forwarded"] + count["stores"] + count["rmws"]
    transactions = int(result.lines.sum())
    assert accesses == count["hits"] + transactions
    assert count["writebacks"] <= count["evictions"]
    assert count["capacity"] <= count["evictions"]
    assert count["beyond_l1"] <= count["hits"]
    assert 4 == result.finished


# Addresses


class Spread(Workload):
    """Lines a distance apart, and behind them one more."""

    head = word(padded=True)
    items = array(3, word(), align=512)
    tail = word(padded=True)

    def thread(self):
        for i in range(3):
            yield self.items[i].load()
        yield self.tail.load()


def test_an_alignment_spreads_addresses_and_not_memory() -> None:
    """512 bytes are 8 lines: the elements' addresses are multiples of 8, their lines dense."""
    memory = build(Spread(), tables(1), [])
    assert [0, 1, 8, 16, 24, 32] == list(memory.place)
    assert 6 * 8 == len(memory.words)


def test_addresses_decide_on_the_set() -> None:
    """Elements 8 lines apart share a set of 8; dense ones would not."""
    memory = build(Spread(), tables(1), [], heap_lines=2)
    result = reference_run(
        memory, tables(1, private_sets=8, private_ways=1), seed=1, until_ps=10**6
    )
    assert 3 == sums(result)["evictions"]  # two elements, and the last one to the tail


class Pages(Workload):
    """Objects of a page each, wherever the allocator found one, and behind them one more line."""

    pages = array(64, word(), align=512, scattered=True)
    tail = word(padded=True)

    def thread(self):
        yield self.tail.load()


def test_scattered_elements_exchange_addresses() -> None:
    """The same addresses as in a row, in an order of chance that is the same each time."""
    first, again = (build(Pages(), tables(1), [], heap_lines=0).place for _ in range(2))
    assert first == again
    assert [0, *range(8, 520, 8), 520] == sorted(first)
    assert sorted(first) != first
    # Every fourth one (a role of four, say) would be in one set of four if they lay in a row.
    sets = {place // 8 % 4 for place in first[1:65:4]}
    assert {0, 1, 2, 3} == sets


def test_scattered_needs_a_size() -> None:
    """There is nothing to exchange without an alignment."""
    with pytest.raises(TypeError, match="give align=, too"):
        array(3, word(), scattered=True)


@pytest.mark.parametrize("align", [-1, 3, 8.0, True])
def test_an_alignment_is_a_power_of_two(align: Any) -> None:
    """Anything else is refused, with an example."""
    with pytest.raises(TypeError, match="give a power of two, in bytes, such as 8192"):
        array(3, word(), align=align)


# Both engines

SMALL = [
    {"private_sets": 2, "private_ways": 1},
    {"private_sets": 2, "private_ways": 2, "l1_sets": 1, "l1_ways": 2, "private_hit_ps": 9},
    {"private_sets": 4, "private_ways": 4, "l1_sets": 2, "l1_ways": 2, "private_hit_ps": 4},
    {"private_sets": 16, "private_ways": 4, "l1_sets": 4, "l1_ways": 1, "private_hit_ps": 4},
]


@pytest.mark.covering("entry", "cache", every=12)
@pytest.mark.parametrize(
    "cache", SMALL, ids=lambda cache: f"{cache['private_sets']}x{cache['private_ways']}"
)
@pytest.mark.parametrize("entry", registry.entries(), ids=lambda entry: entry.name)
def test_both_engines_agree_on_every_lock_and_cache(entry, cache):
    """Traces, counters and memory agree where lines are given up all the time."""
    machine = tables(4, bus_kind=1, jitter_ps=30, tenure_ps=10, **cache)
    for workload in kind_of(entry.struct).test_loads(entry.struct, 2_000):
        pair = run_pair(workload, machine, seed=1, until_ps=30_000, heap_lines=512)
        compare(pair)
        assert isinstance(pair.expected, RunResult)
