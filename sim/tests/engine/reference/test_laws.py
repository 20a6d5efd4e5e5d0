"""Laws that hold for every program on the reference engine, tried on random programs."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tiny_machine import run, tables, timeline

from locksim.core.result import RunResult
from locksim.engine.counters import CPU_COUNTERS
from locksim.engine.reference.coherence import Coherence, Line
from locksim.lang import RELAXED, compute, fence, note, pause, random_below

WORDS = ("a", "a2", "b", "c")
FROM = ("memory", "from_core", "from_node", "from_far1", "from_far2", "from_far3")

steps = st.tuples(
    st.sampled_from(
        ["load", "load", "store", "store", "add", "swap", "compare_swap", "fence", "pause", "wait"]
    ),
    st.sampled_from(WORDS),
    st.integers(0, 300),
)
programs = st.lists(st.lists(steps, max_size=25), min_size=1, max_size=4)
machines = st.fixed_dictionaries(
    {
        "blocking": st.integers(0, 1),
        "clean_nearest": st.integers(0, 1),
        "bus_kind": st.integers(0, 2),
        "store_buffer_entries": st.integers(1, 3),
        "tenure_ps": st.sampled_from([0, 40]),
        "tenure_plain_ps": st.sampled_from([0, 25]),
        "overlap_ps": st.sampled_from([[0, 0, 0, 0], [0, 0, 7, 30]]),
        "jitter_ps": st.sampled_from([0, 70]),
        "rmw_ps": st.sampled_from([0, 5]),
        "store_ps": st.sampled_from([0, 2]),
        "pause_ps": st.sampled_from([0, 3]),
    }
)


def program_of(plan: list[tuple[str, str, int]]) -> Any:
    """A program that performs a plan."""

    def program(self: Any):
        for what, name, value in plan:
            word = getattr(self, name)
            if what == "load":
                yield word.load()
            elif what == "store":
                yield word.store(value, RELAXED)
            elif what == "add":
                yield word.fetch_add(value)
            elif what == "swap":
                yield word.swap(value)
            elif what == "compare_swap":
                yield word.compare_swap(0, value)
            elif what == "fence":
                yield fence()
            elif what == "pause":
                yield pause()
            else:
                yield compute(value)

    return program


def run_plans(plans: list[Any], machine: dict[str, int], **settings: Any) -> RunResult:
    """Run plans, one a CPU."""
    return run(*map(program_of, plans), **machine, **settings)


def sums(result: RunResult) -> dict[str, int]:
    """The counters of all CPUs together."""
    return dict(zip(CPU_COUNTERS, result.cpu.sum(axis=0).tolist(), strict=True))


@given(programs, machines)
def test_every_access_hits_or_is_a_transaction(plans: list[Any], machine: dict[str, int]):
    """Accesses that were not forwarded are hits, upgrades, or supplied by somebody."""
    count = sums(run_plans(plans, machine))
    accesses = count["loads"] - count["forwarded"] + count["stores"] + count["rmws"]
    transactions = count["upgrades"] + sum(count[name] for name in FROM)
    assert accesses == count["hits"] + transactions


@given(programs, machines, st.integers(0, 3_000))
def test_counts_agree_with_the_trace(plans: list[Any], machine: dict[str, int], until_ps: int):
    """At any moment each kind of operation has as many rows as its counter says."""
    result = run_plans(plans, machine, until_ps=until_ps)
    count = sums(result)
    what = [row[2] for row in timeline(result)]
    assert count["loads"] == what.count("load")
    assert count["stores"] == what.count("store")
    assert count["rmws"] == sum(map(what.count, ("swap", "fetch_add", "compare_swap")))
    assert count["fences"] == what.count("fence")
    assert count["pauses"] == what.count("pause")
    assert result.lines.sum() == count["upgrades"] + sum(count[name] for name in FROM)
    assert (result.cpu >= 0).all()
    assert count["queue_ps"] <= count["miss_ps"]


@given(programs, machines)
def test_every_run_ends_with_all_stores_drained(plans: list[Any], machine: dict[str, int]):
    """Programs without loops return, and what they stored was drained or took effect at once."""
    result = run_plans(plans, machine)
    rows = timeline(result)
    assert 4 == result.finished
    times = [row[0] for row in rows]
    assert times == sorted(times)
    assert result.end_ps >= max([0, *times])
    for number in range(4):
        stored = [r[3:] for r in rows if r[1] == 2 * number and r[2] == "store"]
        drained = [r[3:] for r in rows if r[1] == 2 * number + 1 and r[2] == "drained"]
        remaining = iter(stored)
        assert all(any(d == s for s in remaining) for d in drained)


@given(programs, machines)
def test_memory_replays_from_the_trace(plans: list[Any], machine: dict[str, int]):
    """Every load and RMW sees the last value made visible, or the CPU's own youngest store."""
    # No two stores of one value: a drain then tells which store it is of.
    plans = [
        [
            (what, name, 1_000 * (n + 1) + i if what == "store" else value)
            for i, (what, name, value) in enumerate(plan)
        ]
        for n, plan in enumerate(plans)
    ]
    result = run_plans(plans, machine)
    rows = timeline(result)
    words: dict[int, int] = {}
    buffers: list[list[tuple[int, int]]] = [[] for _ in range(4)]
    drains = [[r for r in rows if r[1] == 2 * c + 1 and r[2] == "drained"] for c in range(4)]
    plan_at = [iter([s for s in plan if s[0] in ("add", "swap", "compare_swap")]) for plan in plans]
    for time, agent, what, address, value in rows:
        number = agent // 2
        own = [v for a, v in buffers[number] if a == address]
        if what == "store":
            # A store drains if a later drain of this CPU is left for it.
            queued = len(buffers[number])
            left = [d for d in drains[number] if d[0] >= time]
            if len(left) > queued and (address, value) == left[queued][3:]:
                buffers[number].append((address, value))
            else:
                words[address] = value
        elif what == "drained":
            assert (address, value) == buffers[number].pop(0)
            drains[number].pop(0)
            words[address] = value
        elif what == "load":
            assert value == (own[-1] if own else words.get(address, 0))
        elif what in ("fetch_add", "swap", "compare_swap"):
            assert value == words.get(address, 0)
            assert not buffers[number]
            kind, _, operand = next(plan_at[number])
            if kind == "add":
                words[address] = value + operand
            elif kind == "swap" or value == 0:
                words[address] = operand
    for address, value in words.items():
        assert value == result.memory[address]


@given(programs, machines)
def test_the_same_seed_gives_the_same_run(plans: list[Any], machine: dict[str, int]):
    """A run is a function of program, machine and seed."""
    first, second = run_plans(plans, machine), run_plans(plans, machine)
    assert np.array_equal(first.trace, second.trace)
    assert np.array_equal(first.cpu, second.cpu)
    assert first.end_ps == second.end_ps


@given(programs, machines, st.integers(0, 2_000))
def test_a_shorter_run_is_the_beginning_of_a_longer(
    plans: list[Any], machine: dict[str, int], until_ps: int
):
    """The time limit cuts a run off and changes nothing before."""
    short, long = run_plans(plans, machine, until_ps=until_ps), run_plans(plans, machine)
    rows = [row for row in timeline(long) if row[0] < until_ps]
    assert rows == timeline(short)


@given(st.integers(0, 2**63 - 1), st.integers(0, 2**63 - 1))
def test_a_seed_decides_what_is_random(one: int, other: int):
    """Equal seeds give equal traces; different seeds do not."""

    def program(self: Any):
        for _ in range(4):
            yield note(random_below(2**60))
            yield self.a.fetch_add(1)

    traces = [run(program, program, seed=seed).trace for seed in (one, other)]
    assert (one == other) == np.array_equal(*traces)


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=40), machines)
def test_a_line_has_one_owner_or_sharers(requests: list[tuple[int, bool]], machine: dict[str, int]):
    """After any requests: who asked has its copy; an owner is alone; times do not run back."""
    coherence = Coherence(tables(**machine), seed=1)
    line: Line[int] = Line(1, home=0)
    copies: set[int] = set()
    for cpu, exclusive in requests:
        now = max(line.free_at, line.ready_at)
        served = coherence.serve(line, cpu, exclusive, now)
        copies = {cpu} if exclusive else copies | {cpu}
        holders = line.sharers if line.owner is None else {line.owner}
        assert copies == holders
        assert not (line.sharers and line.owner is not None)
        assert line.writable(cpu) or not exclusive
        assert now <= served.completes_ps
        assert cpu not in served.losers
        assert exclusive or served.losers == ()
