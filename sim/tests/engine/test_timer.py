"""A timer that takes a CPU from its task: when, where the task goes on, and at what cost."""

from __future__ import annotations

import pytest
from engine.engine_pair import compare, run_pair
from engine.test_switch import counted, error, notes, result
from tiny_machine import L1, MEMORY, PAUSE, STORE, SWITCH, tables

from locksim.core.result import RunResult
from locksim.engine.trace import DRAINED
from locksim.lang import (
    RELAXED,
    Workload,
    compute,
    cpu,
    n_cpus,
    n_threads,
    note,
    now,
    param,
    pause,
    perthread,
    switch,
    thread,
    timer,
    word,
)
from locksim.lang.ops import Kind

FROM = 3000
"""When the timer goes off; the task runs from about 1000 on, the cost of a switch."""


class Interrupted(Workload):
    """A CPU that runs its task until a time, notes 1, and runs it again."""

    tasks = param(1)
    w = word(padded=True)

    def thread(self):
        yield timer(FROM)
        yield switch(1)
        yield note(1)
        yield switch(1)
        yield note(2)


class InComputation(Interrupted):
    """The task computes."""

    length = param(5000)

    def task(self):
        yield compute(self.length)
        yield note(3)
        yield switch(0)


def rows(run: RunResult, kind: int) -> list[tuple[int, int]]:
    """The times and values of a kind of rows."""
    assert run.trace is not None
    return [(t, value) for t, _, what, _, value in run.trace.tolist() if what == kind]


def test_a_computation_ends_on_time_and_goes_on_later() -> None:
    """Its parts make up the whole, and each change of threads costs a switch."""
    run = result(InComputation(), until_ps=10**5)
    begun = STORE + SWITCH
    left = 5000 - (FROM - begun)
    again = FROM + SWITCH + SWITCH
    assert [(begun, 5000), (again, left)] == rows(run, Kind.COMPUTE)
    over = again + left
    assert [(FROM + SWITCH, 0, 1), (over, 0, 3), (over + SWITCH, 0, 2)] == notes(run)
    assert 5000 == counted(run, "compute_ps")
    assert 4 == counted(run, "switches")


def test_a_timer_goes_off_once() -> None:
    """The rest of the computation is not interrupted."""
    run = result(InComputation(length=10**5), until_ps=10**6)
    assert 2 == len(rows(run, Kind.COMPUTE))


def test_a_computation_that_ends_in_time_is_whole() -> None:
    """The operation behind it, at the timer's time or later, waits for the task's next turn."""
    length = FROM - STORE - SWITCH
    run = result(InComputation(length=length), until_ps=10**5)
    assert [(STORE + SWITCH, length)] == rows(run, Kind.COMPUTE)
    # The note costs nothing: it is passed at the moment at which the computation is over.
    assert [(FROM, 0, 3), (FROM + SWITCH, 0, 1), (FROM + 3 * SWITCH, 0, 2)] == notes(run)


class BehindAStore(Interrupted):
    """The store waits in its buffer for the line when the timer goes off."""

    def task(self):
        yield compute(FROM - SWITCH - 2 * STORE)
        yield self.w.store(1, RELAXED)
        yield pause()
        yield note(3)
        yield switch(0)


def test_the_store_buffer_is_drained_first() -> None:
    """Whatever CPU the task runs on next, its stores are in memory."""
    run = result(BehindAStore(), until_ps=10**5)
    ((drained, _),) = rows(run, DRAINED)
    assert FROM - STORE + MEMORY == drained
    (_, (interrupted, to), *_) = rows(run, Kind.SWITCH)
    assert 0 == to
    assert interrupted > drained
    ((paused, _),) = rows(run, Kind.PAUSE)
    assert paused > interrupted


class Migrating(Workload):
    """CPU 0's task, interrupted while it spins, goes on on CPU 1 and is done."""

    tasks = param(1)
    go = word(padded=True)
    free = word(padded=True)

    def thread(self):
        if cpu() == 0:
            yield timer(FROM)
            yield switch(n_cpus())
            yield self.free.store(1)
        else:
            while not (yield self.free.load()):
                yield pause()
            yield self.go.store(1)
            yield switch(n_cpus())
            yield note(2)

    def task(self):
        while not (yield self.go.load(RELAXED)):
            yield pause()
        yield note(cpu())
        yield switch(cpu())


def test_a_spinning_task_goes_on_elsewhere() -> None:
    """It is interrupted in the middle of its idle iterations, and both engines agree where."""
    assert [1, 2] == [number for _, _, number in notes(result(Migrating(), 2, until_ps=10**5))]


class Own(Workload):
    """A CPU's own thread, with its timer past."""

    def thread(self):
        yield timer(1)
        yield compute(100)
        yield note(1)


def test_a_cpus_own_thread_is_not_interrupted() -> None:
    """Its timer passes unnoticed."""
    assert [(STORE + 100, 0, 1)] == notes(result(Own()))


class Disarmed(Interrupted):
    """The task switches the timer off."""

    def task(self):
        yield timer(0)
        yield compute(5000)
        yield note(3)
        yield switch(0)


def test_zero_switches_the_timer_off() -> None:
    """The task keeps its CPU."""
    assert [3, 1] == [n for _, _, n in notes(result(Disarmed(), until_ps=10**5))][:2]


class Taken(Workload):
    """CPU 0's own thread runs on CPU 1 when CPU 0's timer goes off."""

    tasks = param(1)

    def thread(self):
        if cpu() == 0:
            yield timer(FROM)
            yield switch(2)
            yield compute(10**6)
        else:
            yield compute(FROM - SWITCH)
            yield switch(0)

    def task(self):
        yield compute(10**6)


def test_an_own_thread_that_runs_elsewhere_is_an_error() -> None:
    """There is nothing that the CPU could go on with."""
    assert "switch to thread 0, which runs on CPU 1" in error(Taken(), 2)


class Slices(Workload):
    """Each CPU gives its tasks, which do all kinds of operations, short turns."""

    tasks = param(4)
    turn_ps = param(700)
    hot = word(padded=True)
    left = perthread(word())

    def thread(self):
        while True:
            yield pause()
            for t in range(n_cpus(), n_threads()):
                if t % n_cpus() == cpu():
                    yield timer(now() + SWITCH + self.turn_ps)
                    yield switch(t)

    def task(self):
        while True:
            yield compute(331)
            before = yield self.hot.fetch_add(1)
            yield self.left[thread()].store(before, RELAXED)
            while (yield self.hot.load(RELAXED)) == before + 1:
                yield pause()
            yield note(before)


@pytest.mark.parametrize("turn_ps", [1, PAUSE, 700, 2000])
@pytest.mark.parametrize("cpus", [1, 2, 4])
def test_engines_agree_on_short_slices(turn_ps: int, cpus: int) -> None:
    """Row for row, and with the idle iterations jumped over."""
    pair = run_pair(Slices(turn_ps=turn_ps), tables(cpus), seed=1, until_ps=60_000)
    compare(pair)
    assert isinstance(pair.jumped, RunResult)
    assert counted(pair.jumped, "switches") > 2


class BesideASibling(Workload):
    """CPU 0's task computes, or pauses in a loop, until the timer goes off; CPU 1 works twice.

    Arguments:
        pauses: 1: the task pauses. length: what it computes.
    """

    tasks = param(1)
    pauses = param(0)
    length = param(5000)

    def thread(self):
        if cpu() == 0:
            yield timer(FROM)
            yield switch(n_cpus())
            yield switch(n_cpus())
            return
        yield compute(2_400)
        yield compute(100)
        yield note(1)

    def task(self):
        while self.pauses:
            yield pause()
        yield compute(self.length)
        yield switch(0)


TWO_THREADS = {"distance": ((0, 1), (1, 0)), "shared_issue_percent": 150}


@pytest.mark.parametrize(("pauses", "length"), [(0, 5000), (0, 1333), (1, 0)])
def test_a_switch_is_no_pause_and_a_rest_is_work_alone(pauses: int, length: int) -> None:
    """CPU 1's second work begins while CPU 0 switches: that is work, whatever the task did last.

    The rest of a computation is what it would take without the sibling, and 1 ps at least.
    """
    machine = tables(2, **TWO_THREADS)
    workload = BesideASibling(pauses=pauses, length=length)
    pair = run_pair(workload, machine, seed=1, until_ps=9_000)
    compare(pair)
    assert isinstance(pair.expected, RunResult)
    assert [(3_600 + 150, 1, 1)] == notes(pair.expected)
    if not pauses:
        begun = STORE + SWITCH
        rest = max((begun + length * 150 // 100 - FROM) * 100 // 150, 1)
        assert (FROM + 2 * SWITCH, rest) in rows(pair.expected, Kind.COMPUTE)


class Spinning(Workload):
    """CPU 0's task spins on a word of its own until the timer goes off.

    Arguments:
        until: when that is.
    """

    tasks = param(1)
    until = param(0)
    go = word(padded=True)

    def thread(self):
        yield timer(self.until)
        yield switch(1)
        yield note(1)

    def task(self):
        while not (yield self.go.load(RELAXED)):
            yield pause()


def test_a_spin_is_interrupted_at_any_moment() -> None:
    """In its first iteration, in the one after which it is jumped over, and later."""
    begun = STORE + SWITCH + MEMORY
    for after in range(4 * (L1 + PAUSE)):
        pair = run_pair(Spinning(until=begun + after), tables(1), seed=1, until_ps=10**4)
        compare(pair)
        assert isinstance(pair.expected, RunResult)
        ((time, _, _),) = notes(pair.expected)
        assert begun + after + SWITCH <= time < begun + after + PAUSE + SWITCH


@pytest.mark.parametrize("changes", [{"run_ahead_ps": 40}, {"shared_issue_percent": 160}], ids=str)
def test_engines_agree_where_private_work_is_not_constant(changes: dict[str, int]) -> None:
    """What is left of an interrupted computation is the same in both."""
    one_core = {"distance": ((0, 1), (1, 0))}
    compare(run_pair(Slices(), tables(2, **one_core, **changes), seed=1, until_ps=60_000))
