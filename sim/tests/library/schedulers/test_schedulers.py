"""Laws of the schedulers: every task gets on, none is lost, none runs twice, both engines agree."""

from __future__ import annotations

import numpy as np
import pytest
from engine.engine_pair import compare, run_pair
from hypothesis import given
from hypothesis import strategies as st

from locksim import machine
from locksim.core.result import RunResult
from locksim.engine.counters import CPU_COUNTERS, LOCK_COUNTERS
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.engine.trace import MARK
from locksim.lang import (
    MS,
    NS,
    RELAXED,
    Workload,
    array,
    compute,
    done,
    n_cpus,
    n_threads,
    param,
    part,
    perthread,
    random_below,
    thread,
    word,
)
from locksim.lang.ops import Kind, Mark
from locksim.library.locks.ttas import TTASLock
from locksim.library.schedulers.interface import INTERRUPTIBLE, WaitQueue
from locksim.library.schedulers.percpu_queues import PerCpuQueues
from locksim.library.schedulers.pinned import Pinned
from locksim.library.workloads.token_ring import TokenRing

LONG_PS = 10**12


def ran(workload: Workload, cpus: int, until_ps: int = LONG_PS, seed: int = 1, **more) -> RunResult:
    """A run of the fast engine."""
    tables = machine.load("ideal-8").tables(cpus, "compact")
    image, memory = prepare(workload, tables, heap_lines=0)
    return fast.run(image, memory, tables, seed=seed, until_ps=until_ps, **more)


def counted(result: RunResult, name: str) -> np.ndarray:
    """A counter of every CPU."""
    return result.cpu[:, CPU_COUNTERS.index(name)]


def who_ran(result: RunResult, cpus: int) -> list[tuple[int, int, int]]:
    """The turns of a trace: (CPU, thread, since when), checking that none overlap."""
    assert result.trace is not None
    runs = dict(enumerate(range(cpus)))
    turns = []
    for time, agent, what, _, value in result.trace.tolist():
        if what == Kind.SWITCH:
            assert value not in runs.values(), f"thread {value} runs on two CPUs at {time}"
            runs[agent // 2] = value
            turns.append((agent // 2, value, time))
    return turns


@pytest.mark.parametrize(("tasks", "ring", "cpus"), [(2, 2, 1), (3, 2, 2), (16, 4, 4), (30, 3, 8)])
def test_every_token_is_passed_on(tasks: int, ring: int, cpus: int) -> None:
    """All tasks end, after all passes, and nobody runs on two CPUs."""
    result = ran(TokenRing(tasks=tasks, ring=ring, rounds=5), cpus, trace=True)
    assert cpus == result.finished
    assert 5 * tasks == counted(result, "done").sum()
    assert set(range(cpus, cpus + tasks)) <= {t for _, t, _ in who_ran(result, cpus)}


@pytest.mark.parametrize("cpus", [1, 2, 8])
def test_one_task_a_cpu_needs_no_queue(cpus: int) -> None:
    """Pinned: each task is switched to once, and sleeps with its CPU."""
    result = ran(TokenRing(scheduler=Pinned, tasks=cpus, ring=cpus, rounds=7), cpus)
    assert cpus == result.finished
    assert 7 * cpus == counted(result, "done").sum()
    assert 2 * cpus == counted(result, "switches").sum()


class Barging(Workload):
    """Tasks that take units of a semaphore, and let go of their CPU while they hold one."""

    tasks = param(12)
    units = param(2)
    rounds = param(4)
    scheduler = part(PerCpuQueues)
    lock = part(TTASLock, padded=True)
    queue = part(WaitQueue, padded=True)
    free = word(padded=True)
    inside = word(padded=True)
    most = word()
    passed = perthread(word())

    def setup(self):
        yield self.free.store(self.units)

    def thread(self):
        yield from self.scheduler.idle()

    def task(self):
        yield from self.scheduler.begin()
        for i in range(self.rounds):
            yield compute(random_below(3000 * NS) + 1)
            yield from self.lock.acquire()
            while not (yield self.free.load(RELAXED)):
                yield from self.scheduler.wait(self.queue, self.lock)
            free = yield self.free.load(RELAXED)
            yield self.free.store(free - 1, RELAXED)
            yield from self.lock.release()
            inside = (yield self.inside.fetch_add(1)) + 1
            if inside > self.units:
                yield self.most.store(inside)
            yield compute(random_below(2000 * NS) + 1)
            if random_below(2):
                yield from self.scheduler.schedule()
            yield self.inside.fetch_add(-1)
            yield from self.lock.acquire()
            free = yield self.free.load(RELAXED)
            yield self.free.store(free + 1, RELAXED)
            if i & 1:
                # Under the lock or not: who waits has entry and state in place before it is let go.
                yield from self.lock.release()
                yield from self.scheduler.wake_up(self.queue, INTERRUPTIBLE)
            else:
                yield from self.scheduler.wake_up(self.queue, INTERRUPTIBLE)
                yield from self.lock.release()
            yield self.passed[thread()].store(i + 1, RELAXED)
            yield done()
        yield from self.scheduler.exit()


@given(
    cpus=st.integers(1, 8),
    tasks=st.integers(1, 20),
    units=st.integers(1, 4),
    seed=st.integers(0, 2**40),
)
def test_no_wake_up_is_lost(cpus: int, tasks: int, units: int, seed: int) -> None:
    """Every task passes the semaphore as often as it wants, and never too many at once."""
    workload = Barging(tasks=tasks, units=units)
    result = ran(workload, cpus, seed=seed, trace=True)
    assert cpus == result.finished
    assert 4 * tasks == counted(result, "done").sum()
    who_ran(result, cpus)
    tables = machine.load("ideal-8").tables(cpus, "compact")
    root = prepare(workload, tables, heap_lines=0)[1].root
    assert 0 == result.memory[int(root.most)]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("workload", "cpus"),
    [
        (Barging(tasks=5), 2),
        (Barging(tasks=9, units=1), 4),
        (TokenRing(tasks=6, ring=3), 2),
        (TokenRing(scheduler=Pinned, tasks=4, ring=2), 4),
    ],
)
def test_both_engines_agree(workload: Workload, cpus: int) -> None:
    """Traces, counters and meters are equal."""
    tables = machine.load("ideal-8").tables(cpus, "compact")
    compare(run_pair(workload, tables, seed=3, until_ps=60_000_000, heap_lines=0))


class Hungry(Workload):
    """Tasks that never wait."""

    tasks = param(6)
    scheduler = part(PerCpuQueues)

    def thread(self):
        yield from self.scheduler.idle()

    def task(self):
        yield from self.scheduler.begin()
        while True:
            yield compute(1000 * NS)
            yield done()
            yield from self.scheduler.resched()


def test_slices_share_a_cpu() -> None:
    """Tasks that never wait take turns of a slice each."""
    slice_ps = MS // 100
    workload = Hungry(tasks=3, scheduler=PerCpuQueues(slice_ps=slice_ps))
    result = ran(workload, 1, until_ps=30 * slice_ps, trace=True)
    turns = who_ran(result, 1)
    assert [1, 2, 3, 1, 2, 3] == [t for _, t, _ in turns][:6]
    lengths = np.diff([t for _, _, t in turns])
    assert lengths.min() >= slice_ps
    assert lengths.max() < slice_ps + 10**7


class Crowded(Hungry):
    """All tasks begin on CPU 0."""

    def setup(self):
        for c in range(n_cpus()):
            while (yield from self.scheduler.queues[c].waiting.take()):
                pass
        for t in range(n_cpus(), n_threads()):
            yield self.scheduler.tasks[t].cpu.store(0)
            yield from self.scheduler.queues[0].waiting.append(self.scheduler.tasks[t])


def test_idle_cpus_take_tasks_from_a_crowded_one() -> None:
    """Each of four CPUs ends up with one of the four tasks."""
    result = ran(Crowded(tasks=4), 4, until_ps=MS, trace=True)
    assert (counted(result, "done") > 900).all()
    assert {5, 6, 7} == {t for c, t, _ in who_ran(result, 4) if c != 0}


class Beside(Workload):
    """A task that wakes the others, one after another, and works on without waiting."""

    tasks = param(4)
    scheduler = part(PerCpuQueues)
    lock = part(TTASLock, padded=True)
    tickets = word()
    queue = part(WaitQueue, padded=True)

    def thread(self):
        yield from self.scheduler.idle()

    def task(self):
        yield from self.scheduler.begin()
        if thread() == n_cpus():
            for _ in range(self.tasks - 1):
                yield compute(10_000 * NS)
                yield from self.lock.acquire()
                yield self.tickets.store((yield self.tickets.load(RELAXED)) + 1, RELAXED)
                yield from self.scheduler.wake_up(self.queue, INTERRUPTIBLE)
                yield from self.lock.release()
        else:
            yield from self.lock.acquire()
            while not (yield self.tickets.load(RELAXED)):
                yield from self.scheduler.wait(self.queue, self.lock)
            yield self.tickets.store((yield self.tickets.load(RELAXED)) - 1, RELAXED)
            yield from self.lock.release()
        yield compute(100_000 * NS)
        yield done()
        yield from self.scheduler.exit()


@pytest.mark.parametrize(("tasks", "cpus"), [(4, 4), (4, 8), (8, 8)])
def test_no_cpu_halts_while_a_task_waits(tasks: int, cpus: int) -> None:
    """Who is woken runs at once on a CPU that has nothing to do: all work side by side."""
    result = ran(Beside(tasks=tasks), cpus, trace=True)
    assert result.trace is not None
    ends = [row[0] for row in result.trace.tolist() if row[2] == MARK + Mark.DONE]
    assert tasks == len(ends)
    waking_ps = 10_000_000 * (tasks - 1)
    assert waking_ps + 100_000_000 <= max(ends) < waking_ps + 120_000_000


@pytest.mark.slow
def test_thousands_of_tasks() -> None:
    """2400 tasks on 8 CPUs: all pass their tokens."""
    result = ran(TokenRing(tasks=2400, ring=80, rounds=3), 8)
    assert 8 == result.finished
    assert 7200 == counted(result, "done").sum()
    assert 0 == result.locks[:, LOCK_COUNTERS.index("violations")].sum()


class Roles(Workload):
    """Notes every task's first CPU."""

    tasks = param(400)
    scheduler = part(PerCpuQueues)
    begins = array(404, word())

    def setup(self):
        for t in range(n_cpus(), n_threads()):
            yield self.begins[t].store(self.scheduler.first_cpu(t))

    def thread(self):
        yield from self.scheduler.idle()

    def task(self):
        yield from self.scheduler.begin()


def test_where_tasks_begin_says_nothing_of_their_roles() -> None:
    """Programs number tasks by role: of four roles a quarter each begins on each of four CPUs."""
    tables = machine.load("pentium3-8way").tables(4, "compact")
    _, memory = prepare(Roles(), tables)
    first = int(memory.root.begins[0])  # type: ignore[attr-defined]
    begins = memory.words[first + 4 : first + 404]
    for role in range(4):
        counts = np.bincount(begins[role::4], minlength=4)
        assert 100 == counts.sum()
        assert (abs(counts - 25) <= 5).all()
