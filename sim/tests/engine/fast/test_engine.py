"""The fast engine beyond equality: sessions, faults, deadlocks, limits."""

import numpy as np
import pytest
from engine.engine_pair import compare, difference, outcome, run_pair, said
from hypothesis import given
from hypothesis import strategies as st
from spinners import (
    Fault,
    FaultsInAHeapNode,
    Handover,
    Hoarder,
    SpinsOnANode,
    TakenTwice,
    Turns,
)
from tiny_machine import tables

from locksim.core.faults import Fault as Kind
from locksim.core.result import DeadlockError, RunResult, SimulationError
from locksim.engine.counters import CPU_COUNTERS, LOCK_COUNTERS, LOCK_STATE
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.engine.reference import engine as reference
from locksim.lang import Workload, compute, done, param, word
from locksim.library.locks.ticket import TicketLock
from locksim.library.workloads.critical_section import CriticalSection
from locksim.machine import load

UNTIL_PS = 20_000


def session(workload, machine, **settings):
    """A session on a machine, and the means to make another."""
    image, memory = prepare(workload, machine, heap_lines=64)
    return fast.Session(image, memory, machine, seed=1, **settings)


# Sessions


@given(cuts=st.lists(st.integers(0, UNTIL_PS), max_size=6).map(sorted), trace=st.booleans())
def test_pieces_are_one_run(cuts, trace):
    """advance() in pieces, wherever they are cut, gives what one run gives."""
    machine = tables(4)
    whole = session(Turns(), machine, trace=trace, jump=False)
    parts = session(Turns(), machine, trace=trace, jump=False)
    whole.advance(UNTIL_PS)
    for time_ps in [*cuts, UNTIL_PS]:
        parts.advance(time_ps)
        assert time_ps == parts.time_ps
    assert "" == difference(whole.result(), parts.result(), trace=trace)


def test_a_long_trace_is_kept_whole(monkeypatch):
    """A run that stops now and then for its trace and its budget is one run."""
    machine = tables(4)
    expected = session(Turns(), machine, trace=True)
    expected.advance(UNTIL_PS)
    monkeypatch.setattr(fast, "TRACE_ROWS", 256)
    monkeypatch.setattr(fast, "CHUNK", 37)
    reports = []
    cut = session(Turns(), machine, trace=True)
    cut.advance(UNTIL_PS, lambda time_ps, events: reports.append((time_ps, events)))
    assert "" == difference(expected.result(), cut.result(), trace=True)
    assert expected.result().events == cut.result().events
    assert sorted(reports) == reports
    assert 3 < len(reports)


def test_reset_counts_anew():
    """Two windows add up to the run; what is going on goes on."""
    machine = load("desktop-4").tables(4)
    workload = CriticalSection(lock=TicketLock, think_ps=1000)
    whole, parts = session(workload, machine), session(workload, machine)
    whole.advance(20_000_000)
    parts.advance(7_000_000)
    before, done_before = parts.result(), parts.done()
    parts.reset()
    assert 0 == parts.done()
    parts.advance(20_000_000)
    after, run = parts.result(), whole.result()
    assert np.array_equal(run.cpu, before.cpu + after.cpu)
    assert np.array_equal(run.lines, before.lines + after.lines)
    assert np.array_equal(run.memory, after.memory)
    assert whole.done() == done_before + parts.done()
    total = LOCK_COUNTERS.index("total")
    assert run.locks[0, total] == before.locks[0, total] + after.locks[0, total]
    for name in LOCK_STATE:
        column = LOCK_COUNTERS.index(name)
        assert run.locks[0, column] == after.locks[0, column]


def test_the_end_of_all_threads():
    """A run whose threads return ends with the last event, and says so."""
    run = session(Handover(delay_ps=500), tables(4))
    run.advance(400)
    assert (400, False) == (run.time_ps, run.finished)
    run.advance(10**9)
    assert run.finished
    assert 500 < run.time_ps < 10_000
    assert 4 == run.done()
    expected = run.result()
    run.advance(10**10)
    assert "" == difference(expected, run.result(), trace=False)


def test_results_are_copies():
    """What was measured does not change when the run goes on."""
    run = session(Turns(), tables(4))
    run.advance(1000)
    early = run.result()
    kept = early.cpu.copy()
    run.advance(10_000)
    assert np.array_equal(kept, early.cpu)
    assert not np.array_equal(kept, run.result().cpu)


def test_the_memory_given_is_not_changed():
    """One image and memory serve many runs."""
    machine = tables(4)
    image, memory = prepare(Hoarder(), machine, heap_lines=64)
    runs = [fast.run(image, memory, machine, seed=1, until_ps=UNTIL_PS) for _ in range(2)]
    assert "" == difference(*runs, trace=False)
    assert not any(memory.words)


def test_seeds():
    """A run is a function of its seed."""
    machine = tables(4)
    image, memory = prepare(Turns(), machine)

    def memory_after(seed: int) -> list[int]:
        result = fast.run(image, memory, machine, seed=seed, until_ps=UNTIL_PS)
        return [*result.cpu.ravel().tolist(), *result.memory.tolist()]

    assert memory_after(5) == memory_after(5)
    assert memory_after(5) != memory_after(6)


# Limits


@pytest.mark.parametrize("until_ps", [-1, fast.MAX_TIME_PS + 1, 2**63])
def test_times_outside_the_limits(until_ps):
    """A run of a negative time, or of more than the clock holds, is refused."""
    with pytest.raises(
        SimulationError, match=rf"between 0 and {fast.MAX_TIME_PS} ps \(got {until_ps}\)"
    ):
        session(Turns(), tables(2)).advance(until_ps)


class Sleeper(Workload):
    """Computes once, for long."""

    long_ps = param(0)
    flag = word()

    def thread(self):
        yield done()
        yield compute(self.long_ps)
        yield self.flag.store(1)


@pytest.mark.parametrize("long_ps", [2**50, 2**52, 2**53 - 3, 2**62, 2**63 - 1])
def test_a_very_long_computation(long_ps):
    """It is simply not over when the run ends, however long it is."""
    pair = run_pair(Sleeper(long_ps=long_ps), tables(2), seed=1, until_ps=UNTIL_PS)
    compare(pair)
    assert isinstance(pair.jumped, RunResult)
    assert 0 == pair.jumped.finished
    assert 2 * [long_ps] == pair.jumped.cpu[:, CPU_COUNTERS.index("compute_ps")].tolist()


def test_the_longest_run():
    """A run may last to the limit, and its last events are right."""
    machine = tables(1)
    image, memory = prepare(Sleeper(long_ps=fast.MAX_TIME_PS - 1000), machine)
    result = fast.run(image, memory, machine, seed=1, until_ps=fast.MAX_TIME_PS)
    assert 1 == result.finished
    assert fast.MAX_TIME_PS - 1000 < result.end_ps < fast.MAX_TIME_PS


# Faults: the texts are the reference engine's


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        (0, "load through a NULL pointer (word 4 of the struct)"),
        (1, "use of memory outside every live object: store of word"),
        (2, "free of word"),
        (3, "compute of a negative time: -1 ps"),
        (4, "an array's index is out of range: Fault.items[4]: the index is outside 0..3"),
        (5, "an array's index is out of range: Node.items[-1]: the index is outside 0..2"),
        (6, "division by zero"),
        (7, "a shift by a number of bits outside 0..63: a negative number"),
        (8, "random_below(0): the bound must be at least 1"),
        (9, "wake of CPU 3, which is not part of the run"),
        (10, "an assertion failed"),
    ],
)
def test_faults(kind, text):
    """Each kind of fault stops both engines with the same words, place and time."""
    pair = run_pair(Fault(kind=kind), tables(3), seed=1, until_ps=10**6)
    compare(pair)
    assert isinstance(pair.plain, SimulationError)
    assert not isinstance(pair.plain, DeadlockError)
    assert str(pair.plain).startswith("CPU 0 at 0.001")
    assert ", spinners.py:" in str(pair.plain)
    assert " in Fault.thread: " in str(pair.plain)
    assert text in str(pair.plain)


def test_every_kind_of_fault_is_tested():
    """PROGRAM is refused earlier; SWITCH has tests of its own (``test_switch.py``)."""
    assert {1, 2, 3, 4, 5, 6, 7, 8, 9} == set(Kind) - {Kind.PROGRAM, Kind.SWITCH}


@pytest.mark.parametrize("kind", [0, 1, 2])
def test_faults_in_allocated_memory(kind):
    """Names of words in allocated objects are right in both engines."""
    pair = run_pair(FaultsInAHeapNode(kind=kind), tables(2), seed=1, until_ps=10**6)
    compare(pair)
    assert isinstance(pair.plain, SimulationError)


# Deadlocks


def test_sleepers_for_whom_nobody_is_left():
    """Without a spinner the reference engine sees a deadlock, in the same words."""
    pair = run_pair(Fault(kind=99, x=1), tables(2), seed=1, until_ps=10**6)
    compare(pair)  # kind 99 asserts what holds: nothing is wrong
    assert isinstance(pair.plain, RunResult)
    pair = run_pair(TakenTwice(), tables(2), seed=1, until_ps=UNTIL_PS)
    compare(pair)
    lines = str(pair.jumped).split("\n")
    assert lines[0].startswith("deadlock at 0.0")
    assert lines[0].endswith(" µs: no thread can go on")
    assert "thread 0 on CPU 0 spins on lock.locked (=1) at ttas.py:" in lines[1]
    assert lines[1].endswith("(TTASLock.acquire)")
    assert "thread 1 on CPU 1 sleeps in block() at spinners.py:" in lines[2]


def test_a_livelock_names_the_same_words_in_both_engines():
    """With a limit on waiting the reference engine tells of the same threads and words."""
    machine = tables(2)
    image, memory = prepare(TakenTwice(), machine)
    ours = outcome(lambda: fast.run(image, memory, machine, seed=1, until_ps=10**6))
    theirs = outcome(
        lambda: reference.run(memory, machine, seed=1, until_ps=10**6, stall_ps=10_000)
    )
    assert isinstance(ours, DeadlockError)
    assert isinstance(theirs, DeadlockError)
    assert str(theirs).split("\n")[1:] == str(ours).split("\n")[1:]


def test_words_of_allocated_objects_are_named():
    """A spinner on an allocated object is reported with the object's type and field."""
    machine = tables(1)
    image, memory = prepare(SpinsOnANode(), machine)
    text = said(outcome(lambda: fast.run(image, memory, machine, seed=1, until_ps=10**6)))
    assert ".items[2] (=0) at spinners.py:" in text
    assert "thread 0 on CPU 0 spins on Node@" in text


def test_a_session_that_gets_nowhere():
    """Session.livelock() tells where every unfinished thread is."""
    run = session(Turns(), tables(2))
    run.advance(5_000)
    text = str(run.livelock())
    assert text.startswith("livelock at 0.005 µs: the threads only wait")
    assert 2 == text.count(" on CPU ")


# The heap


@pytest.mark.parametrize("heap_lines", [0, 1, 2, 7, 20])
def test_memory_that_is_out(heap_lines):
    """Alloc gives NULL when the heap is used up, and what is freed can be had again."""
    pair = run_pair(Hoarder(), tables(1), seed=1, until_ps=10**7, heap_lines=heap_lines)
    compare(pair)
    assert isinstance(pair.jumped, RunResult)
    root = pair.memory.root
    # A Node has five words: one line of eight.
    assert heap_lines == pair.jumped.memory[int(root.got)]
    assert (heap_lines > 0) == pair.jumped.memory[int(root.again)]
