"""Caches that the CPUs of a node share: what they keep and supply, and that both engines agree."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from engine.engine_pair import compare, idle_rows, run_pair
from engine.fast.test_ways import NEVER, plain_until
from engine.reference.test_laws import machines, program_of, programs, sums
from hypothesis import given
from hypothesis import strategies as st
from random_machines import contended, shared_caches
from tiny_machine import (
    INVALIDATE_FAR,
    L1,
    MEMORY,
    MEMORY_FAR,
    PAUSE,
    RMW,
    TRANSFER_FAR,
    Pair,
    Row,
    after,
    board,
    counts,
    rows_of,
    run,
    served,
    tables,
    timeline,
)

from locksim.core.result import RunResult
from locksim.engine.counters import CPU_COUNTERS
from locksim.engine.reference import engine as reference
from locksim.lang import (
    RELAXED,
    Workload,
    array,
    compute,
    cpu,
    param,
    part,
    pause,
    random_below,
    word,
)
from locksim.machine import MachineTables

HIT = 33
WRITEBACKS = CPU_COUNTERS.index("writebacks")
ONE_WAY = {"private_sets": 1, "private_ways": 1, "shared_sets": 1, "shared_hit_ps": HIT}
INCLUSIVE = ONE_WAY | {"shared_ways": 2, "shared_inclusive": 1}
VICTIM = ONE_WAY | {"shared_ways": 2}
LATER, MUCH_LATER = 2_000, 4_000
LINE_A = 1
both = pytest.mark.parametrize("shared", [INCLUSIVE, VICTIM], ids=["inclusive", "victim"])


def plan(*steps: tuple[str, str]) -> Any:
    """A program of operations on words; "own" is the CPU's."""

    def program(self: Any) -> Any:
        for what, name in steps:
            at = self.own[cpu()] if name == "own" else getattr(self, name)
            if what == "load":
                yield at.load()
            elif what == "store":
                yield at.store(1, RELAXED)
            else:
                yield at.fetch_add(1)

    return program


def takes(*programs: Any, **settings: Any) -> int:
    """The time from the last request to its completion."""
    *_, (time, _, _, ready) = served(*programs, **settings)
    return ready - time


def given_up(rows: list[Row]) -> list[tuple[int, int]]:
    """The lines that shared caches gave up, with 1 where they were written back."""
    return [(line, back) for _, _, what, line, back in rows if what == "given up"]


# What it supplies


@both
def test_a_line_that_the_private_cache_evicted_is_near(shared: dict[str, int]) -> None:
    """It comes from the node's cache, and counts as from the node."""
    program = plan(("load", "a"), ("load", "b"), ("load", "a"))
    assert HIT == takes(program, **shared)
    assert {"memory": 2, "from_node": 1} == {
        name: n
        for name, n in counts(run(program, **shared), 0).items()
        if name in ("memory", "from_node")
    }


@both
def test_the_neighbour_has_it_near_too(shared: dict[str, int]) -> None:
    """CPU 1 has never read the line: CPU 0 has brought it to their node, and evicted it."""
    first, second = plan(("load", "a"), ("load", "b")), after(LATER, plan(("load", "a")))
    assert HIT == takes(first, second, **shared)
    assert MEMORY == takes(first, second, private_sets=1, private_ways=1)


def test_an_owner_comes_before_the_shared_cache() -> None:
    """What CPU 0 still owns may differ from what an inclusive cache has."""
    first, second = plan(("add", "a")), after(LATER, plan(("load", "a")))
    assert takes(first, second) == takes(first, second, **INCLUSIVE)


@pytest.mark.parametrize("nearest", [0, 1])
@pytest.mark.parametrize("what", ["load", "add"])
@both
def test_another_nodes_cache_supplies_what_is_modified(
    shared: dict[str, int], what: str, nearest: int
) -> None:
    """A clean line comes from there only if the nearest copy is asked, else from its home."""
    first = plan((what, "a"), ("load", "b"))
    other = after(LATER, plan(("load", "a")))
    idle = plan()
    expected = TRANSFER_FAR if what == "add" or nearest else MEMORY_FAR
    assert expected == takes(first, idle, other, **shared, clean_nearest=nearest)


@both
def test_a_sharer_of_the_same_distance_comes_first(shared: dict[str, int]) -> None:
    """CPU 1 shares the line that its node's cache has: the copy counts as one of node 0."""
    reader = plan(("load", "a"))
    first = plan(("load", "a"), ("load", "b"))
    result = run(first, after(1_000, reader), after(LATER, reader), **shared, clean_nearest=1)
    assert 1 == counts(result, 2)["from_far1"]


# What becomes of a line


@both
def test_a_modified_line_is_written_back_when_the_shared_cache_gives_it_up(
    shared: dict[str, int],
) -> None:
    """Not when the private cache evicts it."""
    program = plan(("add", "a"), ("load", "b"))
    whole = plan(("add", "a"), ("load", "b"), ("load", "c"), ("load", "own"))
    rows = rows_of(program, **shared)
    assert [(LINE_A, 1)] == [(line, back) for _, _, what, line, back in rows if what == "evicted"]
    assert [] == given_up(rows)
    assert 0 == run(program, **shared).cpu[0, WRITEBACKS]
    assert (LINE_A, 1) == given_up(rows_of(whole, **shared))[0]
    assert 1 == run(whole, **shared).cpu[0, WRITEBACKS]


def test_an_inclusive_cache_takes_lines_away() -> None:
    """CPU 1 brings two lines to the node of CPU 0, which loses its own and counts that."""
    first = plan(("load", "a"))
    second = after(1_000, plan(("load", "b"), ("load", "c")))
    rows = rows_of(first, second, **INCLUSIVE)
    assert [(LINE_A, 0)] == given_up(rows)
    assert 1 == counts(run(first, second, **INCLUSIVE), 0)["invalidated"]
    assert [] == given_up(rows_of(first, second, **VICTIM))


@both
def test_a_write_takes_the_line_out_of_the_caches_of_other_nodes(shared: dict[str, int]) -> None:
    """CPU 2 writes what node 0 keeps, and pays for the way there; CPU 0 then has it far away."""
    first = plan(("load", "a"), ("load", "b"))
    writer = after(LATER, plan(("add", "a")))
    again = after(MUCH_LATER, plan(("load", "a")))
    idle = plan()
    assert max(MEMORY_FAR, INVALIDATE_FAR) == takes(first, idle, writer, **shared)
    assert TRANSFER_FAR == takes(first, again, writer, **shared)


@both
def test_a_reader_shares_what_another_node_keeps(shared: dict[str, int]) -> None:
    """Its write is an upgrade: another cache has the line, though no CPU holds it."""
    first = plan(("load", "a"), ("load", "b"))
    second = after(LATER, plan(("load", "a"), ("add", "a")))
    result = run(first, plan(), second, **shared)
    assert 1 == counts(result, 2)["upgrades"]


def test_the_only_user_takes_a_line_out_of_a_victim_cache() -> None:
    """CPU 1 becomes its owner, so CPU 0 gets it from CPU 1 and not from the shared cache."""
    first = plan(("load", "a"), ("load", "b"))
    second, third = after(LATER, plan(("load", "a"))), after(MUCH_LATER, plan(("load", "a")))

    def again(self: Any) -> Any:
        yield from first(self)
        yield from third(self)

    suppliers = [takes(again, second, **shared) for shared in (VICTIM, INCLUSIVE)]
    assert [100, 100] == suppliers
    result = run(again, second, **VICTIM)
    assert 1 == counts(result, 1)["from_node"]


@both
def test_a_far_atomic_leaves_no_copy(shared: dict[str, int]) -> None:
    """The home fetches a modified line from the shared cache that has it, or invalidates it."""
    far = {"far_atomic_ps": (0, 0, 7, 70), "far_atomic_busy_ps": 3}
    for what, collection in (("store", TRANSFER_FAR), ("load", INVALIDATE_FAR)):
        keeper = plan((what, "a"), ("load", "b"), ("load", "c"))
        result = run(plan(), plan(), keeper, after(LATER, plan(("add", "a"), ("load", "a"))),
                     **shared, **far)  # fmt: skip
        assert result.end_ps >= LATER + collection + 70 + RMW
        assert 2 == counts(result, 3)["memory"]


# Laws


@given(programs, machines, shared_caches(), st.integers(0, 3_000))
def test_levels_and_lines_say_the_same(plans, machine, cache, until_ps):
    """A line is kept where a set has it; an inclusive cache keeps what its CPUs hold."""
    memory = board(*map(program_of, plans))
    engine = reference.Engine(memory, tables(4, **machine, **cache), 1, False, None)
    engine.run(until_ps)
    assert engine.caches is not None
    for node, level in enumerate(engine.caches.shared):
        kept = {n for lines in level.lines for n in lines}
        assert kept == {n for n, line in engine.lines.items() if node in line.kept}
        assert all(len(lines) <= level.ways for lines in level.lines)
        if cache["shared_inclusive"]:
            for c in (2 * node, 2 * node + 1):
                assert kept >= {n for n, line in engine.lines.items() if line.readable(c)}
    for line in engine.lines.values():
        if line.owner is not None:
            assert line.kept <= {line.owner // 2}


@given(programs, machines)
def test_an_inclusive_cache_with_room_for_all_fetches_a_line_once(plans, machine):
    """Memory supplies each line to the first node that asks; the others get it from that one."""
    cache = {"private_sets": 1, "private_ways": 1, "shared_sets": 1, "shared_ways": 8}
    cache |= {"shared_inclusive": 1, "shared_hit_ps": HIT}
    result = run(*map(program_of, plans), **machine | {"clean_nearest": 1}, **cache)
    assert sums(result)["memory"] == (result.lines > 0).sum()


# Both engines


class Walk(Workload):
    """Every CPU uses words at random, more lines than caches hold, and waits for a word at times.

    Arguments:
        steps: how many words each CPU uses.
        items: how many there are, one a line.
    """

    steps = param(12)
    go = word(padded=True)
    items = array(6, word(), align=64)

    def thread(self):
        for i in range(self.steps):
            at = random_below(6)
            what = random_below(6)
            if what == 5:
                yield self.items[at].load(RELAXED)
                yield self.items[at].fetch_add(1, RELAXED)
            elif what == 0:
                yield self.items[at].fetch_add(1, RELAXED)
            elif what == 1:
                yield self.items[at].store(i, RELAXED)
            elif what == 2:
                yield compute(1 + random_below(40))
            else:
                yield self.items[at].load(RELAXED)
        if cpu() == 0:
            yield compute(random_below(400))
            yield self.go.store(1)
        while not (yield self.go.load(RELAXED)) and not (yield self.items[0].load(RELAXED)):
            yield pause()


@given(machine=contended(), cache=shared_caches(), seed=st.integers(0, 2**32))
def test_both_engines_agree_where_lines_are_given_up(machine, cache, seed):
    """On any machine: every CPU brings lines and pushes others out, its neighbours' too."""
    machine = dataclasses.replace(machine, **cache)
    compare(run_pair(Walk(), machine, seed=seed, until_ps=3_000))


def halves(**changes: Any) -> MachineTables:
    """Four nodes of two CPUs: a node has one neighbour, and two others equally far away.

    With ``shared_l1`` the CPUs of a node are threads of a core.
    """
    nodes = [[2 if a == b else 3 if a // 2 == b // 2 else 4 for b in range(4)] for a in range(4)]
    to_cpus = [[nodes[a][c // 2] for c in range(8)] for a in range(4)]
    distance = [[to_cpus[a // 2][b] if a != b else 0 for b in range(8)] for a in range(8)]
    costs = {"transfer_ps": (0, 20, 100, 300, 500), "memory_ps": (0, 0, 150, 400, 600)}
    costs |= {"invalidate_ps": (0, 10, 110, 320, 480), "overlap_ps": (0, 0, 7, 30, 50)}
    if changes.get("shared_l1"):
        distance = [[min(d, 1) if a // 2 == b // 2 else d for b, d in enumerate(row)]
                    for a, row in enumerate(distance)]  # fmt: skip
    shape = {"distance": distance, "home_distance": to_cpus}
    return tables(8, **{k: _tuples(v) for k, v in shape.items()}, **costs | changes)


def _tuples(rows: list[list[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(map(tuple, rows))


FAR = {"far_atomic_ps": (0, 0, 7, 70, 90), "far_atomic_busy_ps": 3}
SETTINGS = {
    "memory supplies": {},
    "the nearest supplies": {"clean_nearest": 1, "bus_kind": 1},
    "far atomics": {**FAR, "clean_nearest": 1},
    "links": {"link_ps": (0, 0, 9, 30, 40), "home_agent_ps": (0, 0, 5, 20, 30)},
    "one L1": {"shared_l1": 1, "l1_sets": 1, "l1_ways": 1, "private_hit_ps": 7},
}


@both
@pytest.mark.parametrize("name", SETTINGS)
def test_both_engines_agree_in_small_caches(shared: dict[str, int], name: str) -> None:
    """Eight CPUs walk through more lines than four shared caches hold, in several ways."""
    larger = shared | {"private_ways": 2, "shared_ways": 4}
    for seed in range(4):
        machine = halves(**(shared if seed % 2 else larger), **SETTINGS[name])
        with plain_until(NEVER):
            compare(run_pair(Walk(steps=25), machine, seed=seed, until_ps=12_000))


class AskedTwice(Workload):
    """CPU 0's store and load wait for CPU 2's line; its neighbour uses another one meanwhile."""

    pair = part(Pair, padded=True)
    b = word(padded=True)
    c = word(padded=True)

    def thread(self):
        if cpu() == 2:
            yield self.pair.second.fetch_add(1, RELAXED)
        elif cpu() == 0:
            yield compute(100)
            yield self.pair.first.store(1, RELAXED)
            yield self.pair.second.load(RELAXED)
        else:
            yield compute(450)
            yield self.b.load(RELAXED)
            yield compute(200)
            yield self.c.load(RELAXED)


@both
def test_a_request_that_needs_no_transaction_uses_nothing(shared: dict[str, int]) -> None:
    """CPU 0's second request finds the line: what its neighbour used stays the last used."""
    pair = run_pair(AskedTwice(), tables(3, **shared), seed=1, until_ps=10**5)
    compare(pair)
    assert isinstance(pair.expected, RunResult)
    asked = [row[:2] for row in timeline(pair.expected) if row[2:4] == ("served", LINE_A)]
    assert [(0, 4), (MEMORY_FAR, 1), (MEMORY_FAR + TRANSFER_FAR, 0)] == asked


class Pushed(Workload):
    """CPU 0 spins on a line that CPU 1, of the same node, pushes out of their inclusive cache.

    Arguments:
        begins_ps: when CPU 1 does so.
    """

    begins_ps = param(0)
    a = word(padded=True)
    b = word(padded=True)
    c = word(padded=True)

    def thread(self):
        if cpu() == 0:
            while not (yield self.a.load(RELAXED)):
                yield pause()
            return
        yield compute(self.begins_ps)
        yield self.b.load(RELAXED)
        yield self.c.load(RELAXED)
        yield self.a.store(1, RELAXED)


def test_a_jump_ends_where_a_shared_cache_takes_the_line() -> None:
    """At any moment of a round."""
    for delay in range(L1 + PAUSE):
        workload = Pushed(begins_ps=10 * MEMORY + delay)
        pair = run_pair(workload, tables(2, **INCLUSIVE), seed=1, until_ps=10**6)
        compare(pair)
        assert isinstance(pair.expected, RunResult)
        assert idle_rows(pair) > 0
        assert 2 == counts(pair.expected, 0)["invalidated"]
