"""The reference engine: every operation's cost and effect, on timelines computed by hand."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from arrays import reference_run
from tiny_machine import (
    A2,
    ALLOC,
    FENCE,
    FREE,
    L1,
    MEMORY,
    P2,
    PAUSE,
    RMW,
    STORE,
    SWITCH,
    WAKE,
    A,
    B,
    Node,
    after,
    board,
    counts,
    notes,
    rows_of,
    run,
    tables,
    timeline,
)

from locksim.core.result import SimulationError
from locksim.lang import (
    ACQ_REL,
    NULL,
    RELAXED,
    RELEASE,
    alloc,
    block,
    compute,
    cpu,
    done,
    fence,
    free,
    n_cpus,
    note,
    pause,
    random_below,
    thread,
    wake,
)
from locksim.lang.ops import Op


def test_a_load_misses_and_then_hits():
    """The first load waits for memory; the next costs an L1 hit."""

    def program(self: Any):
        yield self.a.load()
        yield self.a2.load()
        yield note(7)

    assert rows_of(program) == [
        (0, 0, "served", 1, MEMORY),
        (MEMORY, 0, "load", A, 0),
        (MEMORY, 0, "load", A2, 0),
        (MEMORY + L1, 0, "note", 7, 0),
    ]


def test_a_load_gives_the_value():
    """What a load gives is what memory holds."""

    def program(self: Any):
        yield self.a.store(41)
        value = yield self.a.load()
        yield self.b.store(value + 1)

    assert 42 == run(program).memory[B]


def test_a_store_to_an_owned_line_takes_effect_at_once():
    """With an empty buffer and a writable copy a plain store is visible when issued."""

    def program(self: Any):
        yield self.a.load()
        yield self.a.store(5, RELEASE)
        yield note(1)

    result = run(program)
    assert timeline(result)[2:] == [
        (MEMORY, 0, "store", A, 5),
        (MEMORY + STORE, 0, "note", 1, 0),
    ]
    assert 5 == result.memory[A]
    assert counts(result, 0) == {"loads": 1, "stores": 1, "hits": 1, "memory": 1, "miss_ps": MEMORY}


def test_a_store_that_misses_goes_to_the_buffer():
    """The program goes on after the store's cost; the store is drained when its line arrives."""

    def program(self: Any):
        yield self.a.store(5, RELAXED)
        yield note(1)

    result = run(program)
    assert timeline(result) == [
        (0, 0, "store", A, 5),
        (0, 1, "served", 1, MEMORY),
        (STORE, 0, "note", 1, 0),
        (MEMORY, 1, "drained", A, 5),
    ]
    assert 5 == result.memory[A]
    assert MEMORY == result.end_ps


def test_a_load_is_forwarded_from_the_youngest_store():
    """A load sees the CPU's own store before anybody else does."""

    def program(self: Any):
        yield self.a.store(5, RELAXED)
        yield self.a.store(6, RELAXED)
        yield note((yield self.a.load()))

    result = run(program)
    rows = [row for row in timeline(result) if row[2] in ("load", "note")]
    assert rows == [(2 * STORE, 0, "load", A, 6), (2 * STORE + L1, 0, "note", 6, 0)]
    assert 1 == counts(result, 0)["forwarded"]


def test_a_sequentially_consistent_store_is_a_swap():
    """It waits for its line, pays for the RMW, and stands as a swap in the trace."""

    def program(self: Any):
        result = yield self.a.store(5)
        yield note(result)

    result = run(program)
    assert timeline(result) == [
        (0, 0, "served", 1, MEMORY),
        (MEMORY, 0, "swap", A, 0),
        (MEMORY + RMW, 0, "note", 0, 0),
    ]
    assert counts(result, 0) == {"rmws": 1, "memory": 1, "miss_ps": MEMORY}


@pytest.mark.parametrize(
    ("operation", "name", "left"),
    [
        (lambda w: w.swap(3), "swap", 3),
        (lambda w: w.compare_swap(12, 4), "compare_swap", 4),
        (lambda w: w.compare_swap(11, 4), "compare_swap", 12),
        (lambda w: w.fetch_add(-20), "fetch_add", -8),
        (lambda w: w.fetch_and(6), "fetch_and", 4),
        (lambda w: w.fetch_or(3), "fetch_or", 15),
        (lambda w: w.fetch_xor(5), "fetch_xor", 9),
    ],
)
def test_an_atomic_operation_on_an_owned_line(operation: Any, name: str, left: int):
    """It takes effect when issued, gives the old value, and costs the RMW."""

    def program(self: Any):
        yield self.a.swap(12)
        yield note((yield operation(self.a)))

    result = run(program)
    issued = MEMORY + RMW
    assert timeline(result)[2:] == [
        (issued, 0, name, A, 12),
        (issued + RMW, 0, "note", 12, 0),
    ]
    assert left == result.memory[A]
    assert 2 == counts(result, 0)["rmws"]


def test_a_value_is_wrapped_to_64_bits():
    """Memory keeps signed 64-bit words; operands are cut to them as well."""

    def program(self: Any):
        yield self.a.swap(2**63 - 1)
        yield self.a.fetch_add(1)
        yield note((yield self.a.compare_swap(2**63, 2**64 + 9)))

    result = run(program)
    assert -(2**63) == timeline(result)[-1][3]
    assert 9 == result.memory[A]


def test_an_atomic_operation_waits_for_the_store_buffer():
    """It is issued again an L1 hit's time after the last entry has drained."""

    def program(self: Any):
        yield self.a.store(5, RELAXED)
        yield self.b.fetch_add(1)

    assert rows_of(program)[2:] == [
        (MEMORY, 1, "drained", A, 5),
        (MEMORY + L1, 0, "served", 2, 2 * MEMORY + L1),
        (2 * MEMORY + L1, 0, "fetch_add", B, 0),
    ]


def test_a_full_fence_waits_for_the_store_buffer():
    """With stores in the buffer it waits for them; with none it only costs its time."""

    def program(self: Any):
        yield fence()
        yield self.a.store(5, RELAXED)
        yield fence()
        yield note(1)

    result = run(program)
    drained = FENCE + MEMORY
    assert timeline(result) == [
        (0, 0, "fence", 0, 0),
        (FENCE, 0, "store", A, 5),
        (FENCE, 1, "served", 1, drained),
        (drained, 1, "drained", A, 5),
        (drained + L1, 0, "fence", 0, 0),
        (drained + L1 + FENCE, 0, "note", 1, 0),
    ]
    assert 2 == counts(result, 0)["fences"]


def test_a_weaker_fence_costs_nothing():
    """It leaves no row and takes no time, even with stores in the buffer."""

    def program(self: Any):
        yield self.a.store(5, RELAXED)
        yield fence(ACQ_REL)
        yield note(1)

    result = run(program)
    assert (STORE, 0, "note", 1, 0) in timeline(result)
    assert "fences" not in counts(result, 0)


def test_pause_and_compute():
    """A pause costs its time, work its length, and no work one picosecond."""

    def program(self: Any):
        yield pause()
        yield compute(100)
        yield compute(0)
        yield note(1)

    result = run(program)
    assert timeline(result) == [
        (0, 0, "pause", 0, 0),
        (PAUSE, 0, "compute", 0, 100),
        (PAUSE + 100, 0, "compute", 0, 0),
        (PAUSE + 101, 0, "note", 1, 0),
    ]
    assert counts(result, 0) == {"pauses": 1, "compute_ps": 101}


def test_alloc_and_free():
    """Each costs its time; a freed object is the next that its CPU allocates, zeroed again."""

    def program(self: Any):
        first = yield alloc(Node)
        yield first.value.store(9)
        yield free(first)
        again = yield alloc(Node)
        yield note(int(first == again))
        yield note((yield again.value.load()))

    result = run(program)
    rows = timeline(result)
    address = rows[0][3]
    freed = ALLOC + MEMORY + RMW
    assert rows[0] == (0, 0, "alloc", address, 0)
    assert rows[3:] == [
        (freed, 0, "free", address, 0),
        (freed + FREE, 0, "alloc", address, 0),
        (freed + FREE + ALLOC, 0, "note", 1, 0),
        # The line is still in this CPU's cache.
        (freed + FREE + ALLOC, 0, "load", address, 0),
        (freed + FREE + ALLOC + L1, 0, "note", 0, 0),
    ]
    assert {"allocs": 2, "frees": 1}.items() <= counts(result, 0).items()


def test_a_fresh_object_is_at_home_where_it_is_allocated():
    """CPU 2 finds the memory of its own node near."""

    def nothing(self: Any):
        yield pause()

    def program(self: Any):
        node = yield alloc(Node)
        yield node.value.load()
        yield note(1)

    assert notes(nothing, nothing, program) == [(ALLOC + MEMORY, 2, 1)]


def test_an_object_freed_elsewhere_goes_to_the_freeing_cpu():
    """Free lists belong to CPUs: the allocating CPU gets another object, the freeing one this."""

    def first(self: Any):
        node = yield alloc(Node)
        yield self.a.store(node)
        yield compute(10_000)
        yield note(int((yield alloc(Node)) == node))

    def second(self: Any):
        yield compute(5_000)
        node = yield self.a.load()
        yield free(node)
        yield compute(10_000)
        yield note(int((yield alloc(Node)) == node))

    assert [(cpu_number, same) for _, cpu_number, same in notes(first, second)] == [(0, 0), (1, 1)]


def test_alloc_gives_null_when_memory_is_out():
    """A heap of two lines has room for two objects."""

    def program(self: Any):
        for _ in range(3):
            yield note(int(bool((yield alloc(Node)))))

    rows = notes(program, heap_lines=2)
    assert [made for _, _, made in rows] == [1, 1, NULL]


def test_block_sleeps_until_woken():
    """The sleeper goes on after wake's and the context switch's time, the waker after wake's."""

    def sleeper(self: Any):
        yield block()
        yield note(1)

    def waker(self: Any):
        yield compute(100)
        yield wake(0)
        yield note(2)

    result = run(sleeper, waker)
    assert timeline(result) == [
        (0, 0, "block", 0, 0),
        (0, 2, "compute", 0, 100),
        (100, 2, "wake", 0, 0),
        (100 + WAKE, 2, "note", 2, 0),
        (100 + WAKE + SWITCH, 0, "note", 1, 0),
    ]
    assert 1 == counts(result, 0)["blocks"]
    assert 1 == counts(result, 1)["wakes"]


def test_wakes_leave_one_permit():
    """Two wakes of a running thread let it pass one block; a third wake ends its sleep."""

    def sleeper(self: Any):
        yield compute(500)
        yield block()
        yield note(1)
        yield block()
        yield note(2)

    def waker(self: Any):
        yield wake(0)
        yield wake(0)
        yield compute(5_000)
        yield wake(0)

    woken = 2 * WAKE + 5_000
    assert notes(sleeper, waker) == [(500 + SWITCH, 0, 1), (woken + WAKE + SWITCH, 0, 2)]


def test_a_second_wake_before_the_sleeper_runs_is_kept():
    """From the first wake on the thread sleeps no more, so the second leaves a permit."""

    def sleeper(self: Any):
        yield block()
        yield block()
        yield note(1)

    def waker(self: Any):
        yield compute(100)
        yield wake(0)
        yield wake(0)

    assert notes(sleeper, waker) == [(100 + WAKE + 2 * SWITCH, 0, 1)]


def test_marks_stand_at_the_moment_of_the_resume():
    """A mark carries the time at which the operation before it is over."""

    def program(self: Any):
        yield done()
        yield compute(30)
        yield done()

    result = run(program)
    assert [row for row in timeline(result) if row[2] == "done"] == [
        (0, 0, "done", 0, 0),
        (30, 0, "done", 0, 0),
    ]
    assert 2 == counts(result, 0)["done"]


def test_an_operation_without_cost_makes_no_event():
    """The program goes on within the same event."""

    def program(self: Any):
        yield pause()
        yield pause()
        yield note(1)

    free_of_cost = run(program, cpus=1, pause_ps=0)
    assert (0, 0, "note", 1, 0) == timeline(free_of_cost)[-1]
    assert 1 == free_of_cost.events
    assert 3 == run(program, cpus=1).events


def test_what_a_program_knows_about_itself():
    """cpu(), thread() and n_cpus() are those of the thread that runs, though several take turns."""

    def program(self: Any):
        yield compute(10 * (4 - cpu()))
        yield note(100 * cpu() + 10 * thread() + n_cpus())

    assert [at for _, _, at in notes(*[program] * 4)] == [334, 224, 114, 4]


def test_random_numbers_come_from_the_thread_s_own_stream():
    """Another thread's draws change nothing; another seed changes the numbers."""

    def draws(self: Any):
        for _ in range(5):
            yield note(random_below(10**9))
            yield pause()

    def numbers(seed: int, *programs: Any) -> list[int]:
        return [at for _, number, at in notes(*programs, seed=seed) if number == 0]

    assert numbers(1, draws) == numbers(1, draws, draws)
    assert numbers(1, draws) != numbers(2, draws)
    assert 5 == len(set(numbers(1, draws)))


def test_a_run_ends_before_its_time_limit():
    """Events at until_ps are not processed; with none left the last one ends the run."""

    def program(self: Any):
        yield compute(100)
        yield note(1)

    assert notes(program, until_ps=100) == []
    assert notes(program, until_ps=101) == [(100, 0, 1)]
    cut, whole = run(program, until_ps=100), run(program, until_ps=101)
    assert (100, 3) == (cut.end_ps, cut.finished)
    assert (100, 4) == (whole.end_ps, whole.finished)


def test_the_first_events_are_in_the_order_of_the_cpus():
    """At the same time the lower agent is first: of equal requests CPU 0's is served first."""

    def program(self: Any):
        yield note((yield self.a.fetch_add(1)))

    assert [(number, at) for _, number, at in notes(*[program] * 4)] == [
        (0, 0),
        (1, 1),
        (2, 2),
        (3, 3),
    ]


def test_a_run_leaves_the_memory_that_it_was_given():
    """The same memory can be run again, with the same result."""

    def program(self: Any):
        node = yield alloc(Node)
        yield node.value.store(1)
        yield self.a.store(node)
        yield free(node)

    memory = board(program)
    before = [memory.words[:], memory.live[:], memory.home[:], memory.heap_next]
    results = [
        reference_run(memory, tables(), seed=1, until_ps=10**6, trace=True) for _ in range(2)
    ]
    for old, new in zip(before, [memory.words, memory.live, memory.home], strict=False):
        assert np.array_equal(old, new)
    assert before[3] == memory.heap_next
    assert timeline(results[0]) == timeline(results[1])


def test_without_a_trace_the_counts_are_the_same():
    """The trace is recorded only on demand and changes nothing."""

    def program(self: Any):
        yield self.own[2].fetch_add(1)

    silent = reference_run(board(after(5, program)), tables(), seed=1, until_ps=10**6)
    traced = run(after(5, program))
    assert silent.trace is None
    assert np.array_equal(silent.cpu, traced.cpu)
    assert 1 == silent.memory[P2]


def test_bad_settings_of_a_run():
    """A negative time or seed, and memory for another number of CPUs are refused."""

    def program(self: Any):
        yield pause()

    with pytest.raises(SimulationError, match="the end of a run must be at least 0 ps"):
        run(program, until_ps=-1)
    with pytest.raises(SimulationError, match=r"a seed must be between .* \(got -3\)"):
        run(program, seed=-3)
    with pytest.raises(SimulationError, match="laid out for 2 CPUs and the machine has 4"):
        reference_run(board(program, cpus=2), tables(4), seed=1, until_ps=1)


def test_an_interrupt_passes_through():
    """Ctrl-C in the middle of a run reaches the caller as what it is."""

    def program(self: Any):
        yield pause()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(program)


def test_an_operation_without_effect_on_memory_gives_zero():
    """Python's program sees 0 where the compiled one has no result."""

    def program(self: Any):
        results = []
        operations: list[Op] = [pause(), compute(1), fence(), wake(0), block(), done()]
        for op in operations:
            results.append((yield op))
        node = yield alloc(Node)
        results.append((yield free(node)))
        results.append((yield self.a.store(3, RELAXED)))
        yield note(sum(results))

    assert [at for _, _, at in notes(program)] == [0]


def test_a_starting_order_moves_starts_and_streams_and_no_thread():
    """CPU i starts at its place in picoseconds, and draws what thread i of that number drew."""

    def program(self: Any):
        yield note(thread())
        yield note(random_below(1000))

    usual, moved = notes(*[program] * 3), notes(*[program] * 3, starting_places=(2, 0, 1, 3))
    drawn = [number for _, _, number in usual[1::2]]
    assert [(0, i, n) for i in range(3) for n in (i, drawn[i])] == usual
    assert moved == [
        (place, cpu, n) for place, cpu in enumerate((1, 2, 0)) for n in (cpu, drawn[place])
    ]
    assert 3 == len(set(drawn))
