"""More threads than CPUs: what ``switch``, ``now`` and ``thread`` mean, in both engines."""

from __future__ import annotations

from typing import Any

import pytest
from engine.engine_pair import Pair, compare, run_pair
from tiny_machine import L1, MEMORY, PAUSE, RMW, STORE, SWITCH, tables

from locksim.checker import CheckError, check_workload
from locksim.core.result import RunResult, SimulationError
from locksim.engine.counters import CPU_COUNTERS, LOCK_COUNTERS
from locksim.engine.trace import MARK
from locksim.lang import (
    ACQUIRE,
    RELAXED,
    Lock,
    Workload,
    block,
    compute,
    cpu,
    done,
    n_cpus,
    n_threads,
    note,
    now,
    param,
    part,
    pause,
    perthread,
    random_below,
    switch,
    thread,
    wake,
    word,
)
from locksim.lang.ops import Kind, Mark
from locksim.lang.struct import TasksError


def both(workload: Workload, cpus: int = 1, until_ps: int = 10**6, seed: int = 1) -> Pair:
    """Run a workload in both engines, which have to agree."""
    pair = run_pair(workload, tables(cpus), seed=seed, until_ps=until_ps)
    compare(pair)
    return pair


def result(workload: Workload, cpus: int = 1, **settings: Any) -> RunResult:
    """The result that both engines give."""
    found = both(workload, cpus, **settings).expected
    assert isinstance(found, RunResult), found
    return found


def error(workload: Workload, cpus: int = 1) -> str:
    """The text of the error that both engines give."""
    found = both(workload, cpus).expected
    assert isinstance(found, SimulationError), found
    return str(found)


def notes(run: RunResult) -> list[tuple[int, int, int]]:
    """The notes: (time, CPU, number)."""
    assert run.trace is not None
    wanted = MARK + int(Mark.NOTE)
    return [(t, a // 2, at) for t, a, what, at, _ in run.trace.tolist() if what == wanted]


def counted(run: RunResult, name: str) -> int:
    """A CPU counter, all CPUs together."""
    return int(run.cpu[:, CPU_COUNTERS.index(name)].sum())


class Turns(Workload):
    """A CPU that gives each of its tasks a turn, twice."""

    tasks = param(2)

    def thread(self):
        for i in range(2 * (n_threads() - n_cpus())):
            yield compute(10)
            yield switch(n_cpus() + i % (n_threads() - n_cpus()))

    def task(self):
        x = 10 * thread()
        while True:
            yield note(x)
            x = x + 1
            yield pause()
            yield switch(0)


def test_a_thread_goes_on_where_it_was_put_aside() -> None:
    """Each task keeps its registers and its place; every switch costs a context switch."""
    run = result(Turns())
    there, back = 10 + SWITCH, PAUSE + SWITCH
    expected = [(there, 0, 10), (there + back + there, 0, 20)]
    expected.append((expected[1][0] + back + there, 0, 11))
    expected.append((expected[2][0] + back + there, 0, 21))
    assert expected == notes(run)
    assert 8 == counted(run, "switches")
    assert 1 == run.finished


def test_a_switch_is_a_row_with_the_thread_that_goes_on() -> None:
    """It stands at the time at which the other thread could be taken up."""
    run = result(Turns(tasks=1))
    assert run.trace is not None
    rows = [row for row in run.trace.tolist() if row[2] == Kind.SWITCH]
    back = 10 + SWITCH + PAUSE
    assert [[10, 0, Kind.SWITCH, 0, 1], [back, 0, Kind.SWITCH, 0, 0]] == rows[:2]


class Itself(Workload):
    """A thread that switches to itself."""

    def thread(self):
        yield compute(5)
        yield switch(thread())
        yield note(now())


def test_a_switch_to_itself_is_nothing() -> None:
    """No time, no row, no count."""
    run = result(Itself(), cpus=2)
    assert [(5, 0, 5), (5, 1, 5)] == notes(run)
    assert 0 == counted(run, "switches")


class Drains(Workload):
    """A thread that switches with a store under way."""

    tasks = param(1)
    w = word()

    def thread(self):
        yield self.w.store(7, RELAXED)
        yield switch(1)

    def task(self):
        yield note(now())
        yield switch(0)


def test_a_switch_waits_for_the_store_buffer() -> None:
    """The other thread begins when the store is visible and the switch is paid."""
    run = result(Drains())
    assert [MEMORY + L1 + SWITCH] == [t for t, _, _ in notes(run)]


class Hands(Workload):
    """CPU 0 begins a task and hands it to CPU 1 by putting it aside and saying so."""

    tasks = param(1)
    turn = word(padded=True)

    def thread(self):
        if cpu() == 0:
            yield switch(2)
            yield self.turn.fetch_add(1)
        else:
            while (yield self.turn.load(ACQUIRE)) == 0:
                yield pause()
            yield switch(2)

    def task(self):
        yield note(10 * thread() + cpu())
        yield note(random_below(1000))
        yield switch(0)
        yield note(10 * thread() + cpu())
        yield note(random_below(1000))
        yield switch(1)


def test_a_thread_moves_to_another_cpu() -> None:
    """cpu() is the one that runs it now; thread() and its random stream are its own."""
    run = result(Hands(), cpus=2)
    assert 2 == run.finished
    (_, a, first), (_, b, x), (_, c, second), (_, d, y) = notes(run)
    assert [(0, 0), (1, 1)] == [(a, b), (c, d)]
    assert (20, 21) == (first, second)
    assert x != y


class Wrong(Workload):
    """Switches to a thread of a given number."""

    tasks = param(1)
    to = param(0)
    after = param(0)

    def thread(self):
        yield compute(100 * cpu() + 1)
        if cpu() == self.after:
            yield switch(self.to)
            yield pause()
            yield switch(self.to)

    def task(self):
        yield pause()


@pytest.mark.parametrize(
    ("to", "after", "text"),
    [
        (3, 0, "switch to thread 3, which does not exist"),
        (-1, 0, "switch to thread -1, which does not exist"),
        (1, 0, "switch to thread 1, which runs on CPU 1"),
        (0, 1, "switch to thread 0, which has returned"),
    ],
)
def test_a_thread_that_can_not_go_on_is_an_error(to: int, after: int, text: str) -> None:
    """The message says which thread, why, and where the switch stands."""
    found = error(Wrong(to=to, after=after), cpus=2)
    assert found.startswith(f"CPU {after} at ")
    assert "Wrong.thread" in found
    assert found.endswith(text)


class Ends(Workload):
    """A task that returns."""

    tasks = param(2)

    def thread(self):
        yield switch(1)

    def task(self):
        yield pause()


def test_a_task_that_returns_leaves_its_cpu_without_work() -> None:
    """The run is over, though two threads are still put aside."""
    run = result(Ends())
    assert 1 == run.finished
    assert SWITCH + PAUSE == run.end_ps


class Stuck(Workload):
    """A CPU that sleeps for ever, with three tasks put aside."""

    tasks = param(3)

    def thread(self):
        yield switch(1)
        yield switch(2)
        yield block()

    def task(self):
        yield pause()
        yield switch(0)
        yield pause()


def test_a_deadlock_tells_where_the_threads_are() -> None:
    """Those that were put aside are counted by their place."""
    found = error(Stuck())
    assert "thread 0 on CPU 0 sleeps in block() at test_switch.py" in found
    assert "\n  1 thread was never run\n  2 threads were suspended at test_switch.py:" in found


class Wakes(Workload):
    """An idle CPU in ``block()``, which another one wakes for a task."""

    tasks = param(1)
    here = word(padded=True)

    def thread(self):
        if cpu() == 1:
            yield block()
            yield switch(2)
            yield note(now())
        else:
            yield compute(5000)
            yield wake(1)

    def task(self):
        yield note(thread())
        yield switch(1)


def test_block_and_wake_are_the_cpus() -> None:
    """``wake`` takes a CPU's number; the CPU then takes up a task."""
    run = result(Wakes(), cpus=2)
    assert [(1, 2), (1, notes(run)[1][2])] == [(c, x) for _, c, x in notes(run)]


class Held(Lock):
    """A lock whose waiter lets others run."""

    locked = word()

    def acquire(self):
        while (yield self.locked.swap(1)) != 0:
            yield switch(0)

    def release(self):
        yield self.locked.store(0)


class Shared(Workload):
    """Two tasks and a lock: the second waits, the idle thread releases it for the first."""

    tasks = param(2)
    lock = part(Held)

    def thread(self):
        yield switch(1)
        yield switch(2)
        yield compute(100)
        yield from self.lock.release()
        yield switch(2)

    def task(self):
        yield from self.lock.acquire()
        yield done()
        yield switch(0)


def test_an_acquisition_belongs_to_its_thread() -> None:
    """A wait put aside is counted, and who releases need not be who acquired."""
    run = result(Shared())
    row = dict(zip(LOCK_COUNTERS, run.locks[0].tolist(), strict=True))
    assert (2, 1, 0) == (row["total"], row["contended"], row["violations"])
    assert row["wait_ps"] > 100 + 2 * SWITCH
    assert 3 == row["owner"], "thread 2 holds it at the end"
    assert row["hold_ps"] > 100 + 2 * SWITCH


class Own(Workload):
    """A word for each thread."""

    tasks = param(3)
    mine = perthread(word())

    def thread(self):
        yield self.mine[thread()].store(1)
        for i in range(n_cpus(), n_threads()):
            yield pause()
            if i % n_cpus() == cpu():
                yield switch(i)

    def task(self):
        yield self.mine[thread()].store(thread())
        yield switch(cpu())


def test_a_word_for_each_thread_lies_in_its_cpus_node() -> None:
    """Thread t's element is at home where CPU t modulo their number is."""
    pair = both(Own(), cpus=4)
    assert isinstance(pair.expected, RunResult)
    wpl = pair.memory.space.words_per_line
    at = [int(pair.memory.root.mine[t]) for t in range(7)]  # type: ignore[attr-defined]
    assert [1, 1, 1, 1, 4, 5, 6] == [int(pair.expected.memory[a]) for a in at]
    assert [0, 0, 1, 1, 0, 0, 1] == [int(pair.memory.home[a // wpl]) for a in at]


class Clock(Workload):
    """Reads the time around operations."""

    w = word()

    def thread(self):
        start = now()
        yield self.w.fetch_add(1)
        middle = now()
        yield compute(77)
        yield note(start)
        yield note(middle)
        yield note(now() - middle)


def test_now_is_when_the_operation_before_was_over() -> None:
    """A miss, its atomic operation, then 77 ps."""
    assert [0, MEMORY + RMW, 77] == [x for _, _, x in notes(result(Clock()))]


class Spins(Workload):
    """A spin that gives up by the clock: no idle round is like the one before."""

    w = word()

    def thread(self):
        until = now() + 1000
        while (yield self.w.load(RELAXED)) == 0 and now() < until:
            yield pause()
        yield note(now())


def test_a_spin_that_reads_the_clock_is_not_jumped_over() -> None:
    """It ends when the time is up."""
    ((_, _, end),) = notes(result(Spins()))
    assert 1000 <= end < 1000 + MEMORY + PAUSE + STORE


def test_tasks_need_a_program_and_a_number() -> None:
    """Both or none, and no fewer than none."""

    class NoNumber(Workload):
        def thread(self):
            yield pause()

        def task(self):
            yield pause()

    class NoProgram(Workload):
        tasks = param(1)

        def thread(self):
            yield pause()

    for workload, text in (
        (NoNumber(), "NoNumber has a program task() and no number of threads that run it"),
        (NoProgram(), "NoProgram has tasks, and no program for them"),
        (Turns(tasks=-1), "Turns cannot have -1 tasks"),
    ):
        with pytest.raises(TasksError, match=text.replace("(", r"\(").replace(")", r"\)")):
            both(workload)


def test_the_checker_refuses_tasks_that_are_not_its_own() -> None:
    """It says from which workloads it takes them; the time alone is a free choice."""
    with pytest.raises(CheckError, match="Turns has tasks: the checker takes them only from"):
        check_workload(Turns(), threads=2)
