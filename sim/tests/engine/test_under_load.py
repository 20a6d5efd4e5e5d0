"""What load does to a line beyond a first-come queue: laws, computed cases, and equal engines."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import pytest
from engine.engine_pair import compare, idle_rows, run_pair
from engine.fast.test_ways import NEVER, plain_until
from engine.reference.test_laws import machines, program_of, programs
from engine.test_equal_random import HEAP_LINES, durations, folder, imported, seeds
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_machines import arbitrations, contended, paths, siblings, tenures
from random_workloads import workloads
from tiny_machine import (
    L1,
    MEMORY,
    MEMORY_FAR,
    PAUSE,
    RMW,
    SWITCH,
    TRANSFER,
    TRANSFER_FAR,
    after,
    counts,
    notes,
    rows_of,
    run,
    served,
    tables,
    timeline,
)

from locksim.core.result import RunResult
from locksim.engine.counters import CPU_COUNTERS
from locksim.engine.trace import SERVED
from locksim.kinds import kind_of
from locksim.lang import (
    RELAXED,
    Program,
    Workload,
    compute,
    cpu,
    fence,
    n_cpus,
    note,
    param,
    pause,
    percpu,
    switch,
    timer,
    word,
)
from locksim.lang.randomness import ARBITRATIONS, TENURES, draw
from locksim.library import registry
from locksim.library.probes import ContendedAdd

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


@pytest.mark.parametrize(("rule", "candidates"), [(RANDOM, (1, 2, 3)), (NEAR, (2, 3))])
def test_any_candidate_may_be_served(rule: dict[str, int], candidates: tuple[int, ...]) -> None:
    """Which one is next is the stream's draw, of all that wait or of the equally near ones.

    CPU 0 gets the line, then, where the nearest is served first, CPU 1 in its node, without a draw.
    CPUs 2 and 3 are in the other node. Over 60 seeds each of the candidates comes next.
    """
    programs = [add, *(after(10 * cpu, add) for cpu in (1, 2, 3))]
    first = Counter()
    for seed in range(60):
        found = order(*programs, **rule, seed=seed)[4 - len(candidates) :]
        assert candidates[draw(seed, ARBITRATIONS, 0) % len(candidates)] == found[0]
        first[found[0]] += 1
    assert set(candidates) == set(first)


def test_farther_requests_between_candidates_are_passed() -> None:
    """CPU 2 asks between CPUs 1 and 3, which are nearer to CPU 0: one of these is next."""
    near = ((0, 2, 3, 2), (2, 0, 3, 2), (3, 3, 0, 3), (2, 2, 3, 0))
    programs = [add, *(after(10 * cpu, add) for cpu in (1, 2, 3))]
    found = {order(*programs, **NEAR, distance=near, seed=seed)[1] for seed in range(60)}
    assert {1, 3} == found


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


# Line hold times


def test_a_line_is_held_by_the_class_it_came_from() -> None:
    """CPU 1 gets the line from its node and keeps it 7 ps, CPU 2 from the other and keeps it 30.

    Computed: each is served when the line has been held after its arrival.
    """
    machine = {"tenure_class_ps": (0, 0, 7, 30)}
    programs = [add, *(after(10 * cpu, add) for cpu in (1, 2, 3))]
    first = MEMORY + 7
    second = first + TRANSFER + 7
    third = second + TRANSFER_FAR + 30
    found = [time for time, *_ in served(*programs, **machine)]
    assert [0, first, second, third] == found


def test_a_spread_hold_time_is_its_stream_s_draw() -> None:
    """The second of two CPUs is served after the time that the first transaction drew."""
    machine = {"tenure_class_ps": (20,) * 4, "tenure_class_spread_ps": (20,) * 4}
    seen = set()
    for seed in range(40):
        found = served(add, after(10, add), **machine, seed=seed)
        assert MEMORY + draw(seed, TENURES, 0) % 41 == found[1][0]
        seen.add(found[1][0] - MEMORY)
    assert min(seen) < 10
    assert max(seen) > 30


@given(programs, machines, tenures(classes=4))
def test_a_line_is_never_taken_before_its_hold_time_is_over(plans, machine, held):
    """From an exclusive request's completion to the next one served: the value less its spread."""
    result = run(*map(program_of, plans), **machine, **held)
    least = min(
        value - spread
        for name in ("tenure_class", "tenure_plain_class")
        for value, spread in zip(held[f"{name}_ps"], held[f"{name}_spread_ps"], strict=True)
    )
    assert result.trace is not None
    assert result.origins is not None
    held_until: dict[int, tuple[int, int]] = {}
    rows = zip(result.trace.tolist(), result.origins.tolist(), strict=True)
    for (time, agent, what, line, ready), (_, _, exclusive) in rows:
        until, cpu = held_until.get(line, (0, -1))
        if what == SERVED and cpu != agent // 2:
            assert time >= until
            held_until[line] = (ready + least, agent // 2) if exclusive else (0, -1)


# Links and home agents

LINKS = {"link_ps": (0, 0, 0, 70)}


def far_reads(*delays: int) -> list[Any]:
    """CPU 2 and 3, in node 1, read lines at home in node 0, each its own, after a delay."""

    def read(name: str) -> Any:
        def program(self: Any) -> Any:
            yield getattr(self, name).load()

        return program

    idle = after(1, lambda self: iter(()))
    readers = [after(delay, read(name)) for delay, name in zip(delays, "bc", strict=True)]
    return [idle, idle, *readers]


def completions(programs: list[Any], **machine: Any) -> list[int]:
    """When the served requests complete, in the order of service."""
    return [ready for *_, ready in served(*programs, **machine)]


def test_two_lines_that_cross_a_link_wait_for_it() -> None:
    """Two reads of lines of the other node, 10 ps apart: the second begins when the port is free.

    Computed: 70 ps after the first one began, where each without a link begins at once.
    """
    programs = far_reads(5, 15)
    assert [5 + MEMORY_FAR, 15 + MEMORY_FAR] == completions(programs)
    assert [5 + MEMORY_FAR, 75 + MEMORY_FAR] == completions(programs, **LINKS)


def test_a_write_back_takes_the_link_too() -> None:
    """CPU 2 gives up a written line for another one: CPU 3's read waits for both.

    Computed: the miss that made room takes the port at 405, the write-back when it is free again,
    and the read at 480 when that is over.
    """

    def crowd(self: Any) -> Any:
        yield self.a.fetch_add(1)
        yield self.b.load()

    idle = after(1, lambda self: iter(()))
    reader = after(480, far_reads(1, 1)[3])
    small = {"private_sets": 1, "private_ways": 1}
    found = completions([idle, idle, crowd, reader], **LINKS, **small)
    assert MEMORY_FAR + RMW + 2 * 70 + MEMORY_FAR == max(found)


def test_a_home_agent_is_occupied_by_the_class_of_its_requester() -> None:
    """The same reads where node 0's home agent takes 30 ps for each request from afar."""
    machine = {"home_agent_ps": (0, 0, 3, 30)}
    assert [5 + MEMORY_FAR, 35 + MEMORY_FAR] == completions(far_reads(5, 15), **machine)


def test_a_transfer_inside_a_node_uses_no_link_and_no_home_agent() -> None:
    """CPU 1 takes the line from CPU 0 at once, though the home agent and the ports are busy."""

    def late(self: Any) -> Any:
        yield compute(500)
        yield self.a.fetch_add(1)

    busy = {"link_ps": (0, 0, 0, 9_000), "home_agent_ps": (0, 0, 0, 9_000)}
    programs = [add, late, after(400, far_reads(1, 1)[2]), after(450, far_reads(1, 1)[3])]
    assert (500, 2, 1, 500 + TRANSFER) in served(*programs, **busy)


# Threads of a core, and private work behind a miss

SIBLINGS: dict[str, Any] = {"distance": ((0, 1), (1, 0)), "shared_issue_percent": 150}


def work(*parts: Any) -> Any:
    """Operations one after the other, each followed by a note of its number."""

    def program(self: Any) -> Any:
        for number, part in enumerate(parts):
            yield from part(self)
            yield note(number)

    return program


def private(self: Any) -> Any:
    """100 ps of private work."""
    yield compute(100)


def test_private_work_takes_longer_while_a_sibling_works() -> None:
    """Both work for 150 ps instead of 100; then CPU 0 has returned, and CPU 1 needs 100."""
    found = notes(work(private), work(private, private), cpus=2, **SIBLINGS)
    assert [(150, 0, 0), (150, 1, 0), (250, 1, 1)] == found


def rest(self: Any) -> Any:
    """A pause as long as the private work of two others."""
    yield pause()


@pytest.mark.parametrize("idle", [rest, add], ids=["pauses", "waits for a line"])
def test_a_sibling_that_pauses_or_waits_leaves_the_core(idle) -> None:
    """CPU 0 pauses or misses at 0; CPU 1's private work, issued after it, takes 100 ps."""
    found = notes(work(idle), work(private), cpus=2, **SIBLINGS, pause_ps=500)
    assert (100, 1, 0) in found


class Beside(Workload):
    """CPU 1 works for 100 ps while its sibling is in a state for some microseconds.

    Arguments:
        what: 0: it has returned, 1: it waits for its store buffer, 2: it reads behind a pause,
            3: it works behind a pause, 4: it pauses.
    """

    what = param(0)
    a = word(padded=True)

    def thread(self) -> Program:
        if cpu() == 1:
            yield compute(1_000)
            yield note(0)
            yield compute(100)
            yield note(1)
        elif self.what == 1:
            yield self.a.store(1, RELAXED)
            yield fence()
        elif self.what == 2:
            yield self.a.load(RELAXED)
            yield pause()
            yield self.a.load(RELAXED)
        elif self.what > 2:
            yield pause()
            if self.what == 3:
                yield compute(9_000)


@pytest.mark.parametrize(
    ("what", "machine", "takes"),
    [
        (0, {}, 100),
        (1, {"memory_ps": (0, 0, 9_000, 9_000)}, 100),
        (2, {"l1_hit_ps": 9_000}, 150),
        (3, {}, 150),
        (4, {"pause_ps": 9_000}, 100),
    ],
)
def test_both_engines_see_what_a_sibling_does(what: int, machine: Any, takes: int) -> None:
    """It works unless it has returned, waits, or pauses: its last operation counts."""
    pair = run_pair(Beside(what=what), tables(2, **SIBLINGS, **machine), seed=1, until_ps=40_000)
    compare(pair)
    assert isinstance(pair.expected, RunResult)
    begun, over = (row[0] for row in timeline(pair.expected) if row[2] == "note")
    assert takes == over - begun


def test_private_work_behind_a_miss_is_partly_done() -> None:
    """Of 100 ps behind a miss of 150, 60 are over; behind a hit none, nor behind a pause."""
    found = notes(work(add, private, add, private, rest, private), cpus=1, run_ahead_ps=60)
    # A note is no operation, so the private work is still the next one.
    first = MEMORY + RMW
    assert [first, first + 40, first + 40 + RMW] == [time for time, *_ in found][:3]
    times = [time for time, *_ in found]
    assert [100, PAUSE, 100] == np.diff(times[2:]).tolist()


def test_no_more_is_done_behind_a_miss_than_it_takes() -> None:
    """A miss of 150 hides 150 ps of the 400 behind it, and all of 100 but 1 ps."""
    for alone, left in ((400, 250), (100, 1)):
        found = notes(work(add, after(alone, rest)), cpus=1, run_ahead_ps=1_000)
        assert left + PAUSE == found[1][0] - found[0][0]


class Behind(Workload):
    """A miss and private work behind it, by a CPU's own thread or by its task.

    Arguments:
        alone_ps: what the work takes alone. interrupted: 1: the timer goes off during the miss.
    """

    tasks = param(1)
    alone_ps = param(400)
    interrupted = param(0)
    a = word(padded=True)

    def thread(self) -> Program:
        if self.interrupted:
            yield timer(SWITCH + MEMORY)
            yield switch(1)
        else:
            yield self.a.load(RELAXED)
        yield compute(self.alone_ps)
        yield note(0)

    def task(self) -> Program:
        yield self.a.load(RELAXED)
        yield compute(self.alone_ps)
        yield note(1)


@pytest.mark.parametrize(("alone_ps", "left"), [(400, 250), (100, 1)])
def test_both_engines_hide_no_more_than_the_miss_takes(alone_ps: int, left: int) -> None:
    """A miss of 150 hides 150 ps of the 400 behind it, however much could be hidden."""
    machine = tables(1, run_ahead_ps=1_000)
    pair = run_pair(Behind(alone_ps=alone_ps), machine, seed=1, until_ps=10**4)
    compare(pair)
    assert isinstance(pair.expected, RunResult)
    found = [row[0] for row in timeline(pair.expected) if row[2] == "note"]
    assert [MEMORY + left] == found


def test_a_thread_gains_nothing_from_another_one_s_miss() -> None:
    """The timer goes off while the task misses: the CPU's own thread works for 400 ps."""
    pair = run_pair(Behind(interrupted=1), tables(1, run_ahead_ps=60), seed=1, until_ps=10**4)
    compare(pair)
    assert isinstance(pair.expected, RunResult)
    rows = timeline(pair.expected)
    (back,) = [time for time, _, what, _, value in rows if what == "switch" and value == 0]
    assert [back + SWITCH + 400] == [row[0] for row in rows if row[2] == "note"]


class ThinksFirst(Workload):
    """CPU 0 thinks before it looks again; CPU 1 lets it go."""

    a = word(padded=True)

    def thread(self) -> Program:
        if cpu() == 1:
            yield compute(5_000)
            yield self.a.store(1)
            return
        while True:
            yield compute(20)
            if (yield self.a.load(RELAXED)):
                return


def test_a_round_that_a_miss_has_shortened_is_not_the_period_of_a_jump() -> None:
    """The miss lies before the round, so that the round itself only hits; the next ones last."""
    pair = run_pair(ThinksFirst(), tables(2, run_ahead_ps=9), seed=1, until_ps=100_000)
    compare(pair)
    assert idle_rows(pair) > 0


# Caches of a core

ONE_L1: dict[str, Any] = {"distance": ((0, 1, 3), (1, 0, 3), (3, 3, 0)), "shared_l1": 1}


def reads(self: Any) -> Any:
    """Read word a."""
    yield self.a.load()


def works_on_it(self: Any) -> Any:
    """Read, write and change word a."""
    yield self.a.load()
    yield self.a.store(7, RELAXED)
    yield self.a.fetch_add(1)


def test_a_line_of_a_sibling_is_a_hit() -> None:
    """CPU 1 works on what CPU 0 has; without a shared cache it gets the line from there."""
    second = after(500, works_on_it)
    result = run(add, second, cpus=3, **ONE_L1)
    assert 1 == result.lines.sum()
    assert 3 == counts(result, 1)["hits"]
    assert 1 == counts(run(add, second, cpus=3, **ONE_L1 | {"shared_l1": 0}), 1)["from_core"]


@pytest.mark.parametrize("program", [add, works_on_it])
def test_a_line_on_its_way_to_a_thread_is_so_to_its_sibling(program: Any) -> None:
    """CPU 1 looks 40 ps after CPU 0 has asked, and goes on with the line's arrival."""
    rows = rows_of(add, after(40, program), cpus=3, **ONE_L1)
    first = next(time for time, agent, what, at, _ in rows if agent == 2 and at)
    assert MEMORY == first
    assert 1 == sum(what == "served" for _, _, what, _, _ in rows)


class Together(Workload):
    """CPU 2 writes a line and CPU 3 reads it; while that goes on, both threads of a core ask.

    Arguments:
        between: 1: CPU 4, of a third node, asks after the first thread and before the second.
    """

    between = param(0)
    a = word(padded=True)

    def thread(self) -> Program:
        if cpu() == 2:
            yield self.a.fetch_add(1, RELAXED)
            return
        if cpu() == 4 and not self.between:
            return
        if cpu() == 3:
            yield compute(2_000)
        elif cpu() == 4:
            yield compute(2_015)
        else:
            yield compute(2_010 + 10 * cpu())
        yield self.a.load(RELAXED)


ROWS = ((0, 1, 3, 3, 3), (1, 0, 3, 3, 3), (3, 3, 0, 2, 3), (3, 3, 2, 0, 3), (3, 3, 3, 3, 0))
TWO_THREADS_OF_CPU_0: dict[str, Any] = {"distance": ROWS, "shared_l1": 1, "shared_read_ps": 40}


@pytest.mark.parametrize("between", [0, 1])
def test_two_threads_that_ask_get_a_shared_line_together(between: int) -> None:
    """CPU 1 is served while the copy is on its way to CPU 0: it completes behind its arrival.

    Computed: CPU 3 has the line from its node; then memory supplies CPU 0, and the home is free for
    the next read after 40 ps, when CPU 1 needs no second copy. If the last copy is on its way to
    another core, CPU 1 waits for nothing.
    """
    machine = tables(5, **TWO_THREADS_OF_CPU_0)
    pair = run_pair(Together(between=between), machine, seed=1, until_ps=100_000)
    compare(pair)
    assert isinstance(pair.expected, RunResult)
    rows = [row for row in timeline(pair.expected) if row[2] == "served"]
    first = 2_000 + TRANSFER
    expected = [(2_000, 6, first), (first, 0, first + MEMORY)]
    if between:
        expected += [(first + 40, 8, first + 40 + MEMORY_FAR), (first + 80, 2, first + 80 + L1)]
    else:
        expected += [(first + 40, 2, first + MEMORY + L1)]
    assert expected == [(time, agent, ready) for time, agent, _, _, ready in rows[1:]]


class Sibling(Workload):
    """CPU 0 asks for a line, and its sibling uses it before it is there.

    Arguments:
        what: 0: it reads, 1: it writes, 2: it adds, 3: it drains a store behind another one.
    """

    what = param(0)
    a = word(padded=True)
    b = word(padded=True)

    def thread(self) -> Program:
        if cpu() == 0:
            yield compute(100)
            yield self.a.fetch_add(1, RELAXED)
        elif self.what == 3:
            yield self.b.store(1, RELAXED)
            yield self.a.store(1, RELAXED)
        elif cpu() == 1:
            yield compute(140)
            if self.what == 0:
                yield self.a.load(RELAXED)
            elif self.what == 1:
                yield self.a.store(1, RELAXED)
            else:
                yield self.a.fetch_add(1, RELAXED)


TWO_LINES = {"private_sets": 1, "private_ways": 2, "l1_sets": 1, "l1_ways": 1, "private_hit_ps": 7}


@pytest.mark.parametrize("caches", [{}, TWO_LINES], ids=["all lines", "two lines"])
@pytest.mark.parametrize("what", range(4))
def test_a_sibling_waits_for_a_line_on_its_way(what: int, caches: dict[str, int]) -> None:
    """Whatever it does with it: no second request, and nothing happens before the arrival."""
    machine = tables(2, distance=((0, 1), (1, 0)), shared_l1=1, **caches)
    pair = run_pair(Sibling(what=what), machine, seed=1, until_ps=10_000)
    compare(pair)
    assert isinstance(pair.expected, RunResult)
    rows = timeline(pair.expected)
    line = next(at for time, _, kind, at, _ in rows if kind == "served" and time == 100)
    assert 1 == sum(kind == "served" and at == line for _, _, kind, at, _ in rows)
    word_of_a = next(at for _, agent, kind, at, _ in rows if agent == 0 and kind == "fetch_add")
    used = [time for time, agent, kind, at, _ in rows
            if agent in (2, 3) and at == word_of_a and (kind != "store" or what == 1)]  # fmt: skip
    assert [100 + MEMORY] == used


def test_both_threads_lose_a_line_at_once() -> None:
    """Another core writes it; the loss counts at the first thread."""
    result = run(reads, after(400, reads), after(800, add), cpus=3, **ONE_L1)
    assert 1 == counts(result, 0)["invalidated"]
    assert "invalidated" not in counts(result, 1)


# Far atomics

FAR: dict[str, Any] = {"far_atomic_ps": (0, 0, 80, 250), "far_atomic_busy_ps": 20}


def test_far_atomics_keep_the_line_at_home() -> None:
    """CPU 0's addition occupies the line for 20 ps; then CPU 2's is performed, and CPU 1's.

    Computed: each takes effect when it is served, and its CPU goes on after the way to the home
    and back and its own time; the line moves nowhere.
    """
    programs = [work(add), after(20, work(add)), after(10, work(add))]
    rows = rows_of(*programs, cpus=3, **FAR)
    effects = [(time, agent // 2) for time, agent, what, *_ in rows if what == "fetch_add"]
    assert [(0, 0), (20, 2), (40, 1)] == effects
    ends = {agent // 2: time for time, agent, what, *_ in rows if what == "note"}
    assert {0: 80 + RMW, 2: 20 + 250 + RMW, 1: 40 + 80 + RMW} == ends


def test_the_home_collects_a_line_before_a_far_atomic() -> None:
    """CPU 2's copy, written there, comes back to node 0 first; its next load is a miss."""

    def write(self: Any) -> Any:
        yield self.a.store(1, RELAXED)
        yield compute(1_000)
        yield self.a.load()

    idle = after(1, lambda self: iter(()))
    result = run(after(500, work(add)), idle, write, cpus=3, **FAR)
    found = [row for row in timeline(result) if row[2] == "note"]
    assert [501 - 1 + TRANSFER_FAR + 80 + RMW] == [time for time, *_ in found]
    assert {"memory": 2, "invalidated": 1}.items() <= counts(result, 2).items()


def test_an_atomic_on_an_own_line_is_near() -> None:
    """A CPU that has the line for itself adds to it in `rmw`, and keeps it."""

    def write(self: Any) -> Any:
        yield self.a.store(1, RELAXED)
        yield compute(1_000)
        yield note(0)
        yield self.a.fetch_add(1)
        yield note(1)

    first, second = notes(write, cpus=1, **FAR)
    assert RMW == second[0] - first[0]


# All of them


@given(programs, machines, st.one_of(arbitrations(), tenures(classes=4), paths(classes=4)))
def test_no_mechanism_loses_an_operation(plans, machine, mechanism):
    """Every program ends, and each CPU has done what it does without the mechanism."""
    plain, other = (run(*map(program_of, plans), **machine, **more) for more in ({}, mechanism))
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


@settings(suppress_health_check=list(HealthCheck))
@given(text=workloads(), tables=siblings(), seed=seeds, until_ps=durations)
def test_random_programs_of_siblings(folder, text, tables, seed, until_ps):
    """The same where threads share a core, and spin beside one another."""
    with plain_until(NEVER):
        pair = run_pair(
            imported(text, folder)(), tables, seed=seed, until_ps=until_ps, heap_lines=HEAP_LINES
        )
    compare(pair)


@pytest.mark.slow
@settings(suppress_health_check=list(HealthCheck), max_examples=1000)
@given(text=workloads(), tables=st.one_of(contended(), siblings()), seed=seeds, until_ps=durations)
def test_random_programs_compiled(folder, text, tables, seed, until_ps):
    """The same with compiled code, and many more of them."""
    pair = run_pair(
        imported(text, folder)(), tables, seed=seed, until_ps=until_ps, heap_lines=HEAP_LINES
    )
    compare(pair)


TWO_THREADS = tuple(
    tuple(0 if a == b else 1 if a // 2 == b // 2 else 3 for b in range(8)) for a in range(8)
)
FOUR_A_NODE = tuple(
    tuple(0 if a == b else 2 if a // 4 == b // 4 else 3 for b in range(8)) for a in range(8)
)
SMALL = {"private_sets": 2, "private_ways": 1}
MECHANISMS: dict[str, dict[str, Any]] = {
    "near": {
        **{"arbitration": 1, "arbitration_passes": 3, "tenure_ps": 10},
        "distance": FOUR_A_NODE,
    },
    "random": {"arbitration": 2, "jitter_ps": 30},
    "hold times": {
        "tenure_plain_class_ps": (0, 0, 5, 9),
        "tenure_plain_class_spread_ps": (0, 0, 5, 2),
        "tenure_class_ps": (0, 0, 12, 40),
        "tenure_class_spread_ps": (0, 0, 0, 40),
    },
    "siblings": {"distance": TWO_THREADS, "shared_issue_percent": 170, "run_ahead_ps": 70},
    "run ahead": {"run_ahead_ps": 70},
    "far atomics": {"far_atomic_ps": (0, 0, 80, 250), "far_atomic_busy_ps": 20, **SMALL},
    "links": {"link_ps": (0, 0, 90, 300), "distance": TWO_THREADS, **SMALL},
    "home agents": {"home_agent_ps": (0, 0, 80, 400), **SMALL},
}


class Rounds(Workload):
    """CPU 0 counts; the others wait for each count with private work, and one word is theirs."""

    count = word(padded=True)
    seen = word(padded=True)

    def thread(self) -> Program:
        """Count, or wait for a count and add to a word that all have read."""
        before = 0
        while True:
            if cpu() == 0:
                yield compute(700)
                before = before + 1
                yield self.count.store(before, RELAXED)
            else:
                if cpu() % 2:
                    while (yield self.count.load(RELAXED)) == before:
                        yield compute(30)
                else:
                    now = before
                    while now == before:
                        yield compute(90)
                        now = yield self.count.load(RELAXED)
                before = before + 1
                yield self.seen.load(RELAXED)
                yield self.seen.fetch_add(1, RELAXED)


class BesideASpinner(Workload):
    """CPU 0 or 1 spins on a word until its sibling, the writer, has written it after a delay.

    The writer first works and uses two other words. CPUs 2 and 3 spin on one of them, with pauses
    and with private work. With an odd delay CPU 2 shares the word, too.
    """

    delay = param(0)
    first = word(padded=True)
    other = word(padded=True)
    third = word(padded=True)

    def thread(self) -> Program:
        """Wait for the word, or write it; what comes afterwards costs the time of private work."""
        if cpu() == self.delay // 3:
            for _ in range(3):
                for _ in range(6):
                    yield compute(15 + self.delay)
                yield self.other.fetch_add(1, RELAXED)
                yield self.third.load(RELAXED)
            yield self.third.store(1, RELAXED)
            yield self.first.store(1, RELAXED)
        elif cpu() < 2:
            while (yield self.first.load(RELAXED)) == 0:
                yield pause()
        elif cpu() == 2:
            if self.delay % 2:
                yield self.first.load(RELAXED)
            while (yield self.other.load(RELAXED)) < 3:
                yield pause()
        else:
            yield self.third.load(RELAXED)
            while (yield self.other.load(RELAXED)) < 3:
                yield compute(5)
        yield compute(70)


CLOSE: dict[str, dict[str, Any]] = {
    "one L1": {"shared_l1": 1},
    "one L1, one set": {"shared_l1": 1, "private_sets": 1, "private_ways": 2},
    "issue": {"shared_issue_percent": 170},
    "all": {"shared_l1": 1, "shared_issue_percent": 170, "l1_sets": 1, "l1_ways": 2}
    | {"private_sets": 2, "private_ways": 2, "private_hit_ps": 3},
}


@pytest.mark.parametrize("mechanism", CLOSE)
def test_a_spin_beside_a_sibling_is_jumped_over(mechanism: str) -> None:
    """The engines agree whenever within a round the sibling writes, and most rounds are skipped."""
    machine = tables(4, **CLOSE[mechanism], distance=tuple(row[:4] for row in TWO_THREADS[:4]))
    with plain_until(NEVER):
        for delay in range(6):
            pair = run_pair(BesideASpinner(delay=delay), machine, seed=1, until_ps=3_000)
            compare(pair)
            assert idle_rows(pair) > 100


class TwoSpinners(Workload):
    """CPUs 0 and 1, of one core, spin on lines of their own; CPU 2, of that core, loads another.

    It evicts the line that was used least recently, so the order of the spinners' uses counts.
    """

    delay = param(0)
    first = word(padded=True)
    second = word(padded=True)
    third = word(padded=True)
    fourth = word(padded=True)

    def thread(self) -> Program:
        """Spin for a word that CPU 3 writes, or load a line from time to time."""
        if cpu() == 0:
            while (yield self.first.load(RELAXED)) == 0:
                yield pause()
        elif cpu() == 1:
            while (yield self.second.load(RELAXED)) == 0:
                yield pause()
                yield self.third.load(RELAXED)
        elif cpu() == 2:
            for _ in range(4):
                yield compute(150 + self.delay)
                yield self.fourth.load(RELAXED)
        else:
            yield compute(2_000)
            yield self.first.store(1, RELAXED)
            yield self.second.store(1, RELAXED)


THREE_THREADS = {
    "distance": tuple(
        tuple(0 if a == b else 1 if a < 3 and b < 3 else 3 for b in range(4)) for a in range(4)
    ),
    "node_of": (0, 0, 0, 1),
    "home_distance": ((2, 2, 2, 3), (3, 3, 3, 2)),
}
ONE_SET_OF_L1 = {"private_sets": 8, "private_ways": 4, "private_hit_ps": 7} | {
    **{"l1_sets": 1, "l1_ways": 3, "shared_l1": 1}
}


@pytest.mark.parametrize("delay", [1, 3, 5, 7])
def test_spinners_of_one_set_are_not_jumped_over_together(delay: int) -> None:
    """The third thread evicts the same line in both engines, whichever of them used theirs last."""
    machine = tables(4, **ONE_SET_OF_L1, **THREE_THREADS)
    with plain_until(NEVER):
        pair = run_pair(TwoSpinners(delay=delay), machine, seed=1, until_ps=2_500)
    compare(pair)
    assert idle_rows(pair) > 100


class EarlyWriter(Workload):
    """CPU 0 spins on a word; its sibling writes it within the first rounds."""

    delay = param(0)
    first = word(padded=True)

    def thread(self) -> Program:
        """Wait for the word, or write it."""
        if cpu() == 0:
            while (yield self.first.load(RELAXED)) == 0:
                yield pause()
            yield self.first.fetch_add(1, RELAXED)
        elif cpu() == 1:
            yield compute(self.delay)
            yield self.first.fetch_add(1, RELAXED)


def test_no_jump_begins_with_a_value_that_a_sibling_has_changed() -> None:
    """The sibling writes at every picosecond from the first hit to the end of the first rounds."""
    machine = tables(4, **ONE_SET_OF_L1, **THREE_THREADS)
    with plain_until(NEVER):
        for delay in range(MEMORY, MEMORY + 10):
            compare(run_pair(EarlyWriter(delay=delay), machine, seed=1, until_ps=2_500))


class Crowded(Workload):
    """Each CPU writes three lines of another node, more than a small cache holds."""

    first = percpu(word())
    second = percpu(word())
    third = percpu(word())

    def thread(self) -> Program:
        """Write them in turn; each miss writes one of the others back."""
        while True:
            other = (cpu() + 2) % n_cpus()
            yield self.first[other].fetch_add(1, RELAXED)
            yield self.second[other].fetch_add(1, RELAXED)
            yield self.third[other].fetch_add(1, RELAXED)


@pytest.mark.covering("mechanism", "name")
@pytest.mark.parametrize("mechanism", MECHANISMS)
@pytest.mark.parametrize("name", ["add", "rounds", "crowded", "tas", "ticket", "rwlock"])
def test_both_engines_agree_under_load(name, mechanism):
    """Eight CPUs in four nodes at one line or at one lock: traces, counters and memory agree."""
    load = {"add": ContendedAdd, "rounds": Rounds, "crowded": Crowded}.get(
        name, partial(_load, name)
    )()
    machine = tables(8, **MECHANISMS[mechanism])
    with plain_until(NEVER):
        pair = run_pair(load, machine, seed=1, until_ps=6_000, heap_lines=64)
    compare(pair)
    assert isinstance(pair.expected, RunResult)


def _load(name: str) -> Workload:
    struct = registry.resolve(name).struct
    return kind_of(struct).test_loads(struct, 2_000)[0]
