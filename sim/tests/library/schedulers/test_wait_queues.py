"""Wait queues of 2.4: who is woken, in which order, at what cost; and that nobody sleeps for ever.

The law is shown three times. The checker explores a waiter and a waker under SC and TSO, and finds
the two mistakes that lose a wake-up. Random interleavings have more waiters. And under the real
schedulers, on both engines, tasks look without a lock at what others count up.
"""

from __future__ import annotations

from typing import Any

import pytest
from engine.engine_pair import compare, run_pair
from hypothesis import given
from hypothesis import strategies as st
from interleaving import interleave

from locksim.checker import check_workload
from locksim.engine.counters import LOCK_COUNTERS
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.engine.trace import MARK
from locksim.lang import (
    ACQUIRE,
    NS,
    RELAXED,
    Struct,
    Workload,
    block,
    compute,
    n_cpus,
    n_threads,
    note,
    param,
    part,
    pause,
    perthread,
    random_below,
    thread,
    wake,
    word,
)
from locksim.lang.ops import Mark
from locksim.library.schedulers.interface import (
    INTERRUPTIBLE,
    RUNNING,
    SLEEPING,
    UNINTERRUPTIBLE,
    Scheduler,
    Task,
    WaitQueue,
)
from locksim.library.schedulers.linux_2_4 import LinuxTwoFour
from locksim.library.schedulers.percpu_queues import PerCpuQueues
from locksim.machine import load


class Halting(Scheduler):
    """Every CPU's own thread is a task, which halts it: no run queue, the least that can wait."""

    def setup(self):
        yield from self.number_tasks()

    def schedule(self):
        while (yield self.tasks[thread()].state.load(ACQUIRE)) != RUNNING:
            yield block()

    def wake_up_process(self, task: Task):
        before = yield task.state.swap(RUNNING)
        yield wake((yield task.number.load(RELAXED)))
        return before != RUNNING

    def halt(self):
        yield pause()


class Event(Struct):
    """Something that happens, and who waits for it."""

    happened = word()
    queue = part(WaitQueue, padded=True)


class Waiter(Workload):
    """Thread 0 makes it happen; the others wait for it, as the module of wait queues says."""

    scheduler = part(Halting)
    event = part(Event, padded=True)

    def thread(self):
        if thread() == 0:
            yield self.event.happened.store(1, RELAXED)
            yield from self.scheduler.wake_up(self.event.queue, INTERRUPTIBLE)
        else:
            yield from self.wait()

    def wait(self):
        me = self.scheduler.tasks[thread()]
        yield from self.scheduler.add_wait_queue(self.event.queue, me.waits[0])
        while True:
            yield me.state.store(INTERRUPTIBLE)
            if (yield self.event.happened.load(RELAXED)):
                break
            yield from self.scheduler.schedule()
        yield me.state.store(RUNNING)
        yield from self.scheduler.remove_wait_queue(self.event.queue, me.waits[0])


class WithoutBarrier(Waiter):
    """Wrong: the state may still be in the store buffer when it looks."""

    def wait(self):
        me = self.scheduler.tasks[thread()]
        yield from self.scheduler.add_wait_queue(self.event.queue, me.waits[0])
        while True:
            yield me.state.store(INTERRUPTIBLE, RELAXED)
            if (yield self.event.happened.load(RELAXED)):
                break
            yield from self.scheduler.schedule()
        yield me.state.store(RUNNING)
        yield from self.scheduler.remove_wait_queue(self.event.queue, me.waits[0])


class LooksFirst(Waiter):
    """Wrong: between the look and the state it may happen."""

    def wait(self):
        me = self.scheduler.tasks[thread()]
        yield from self.scheduler.add_wait_queue(self.event.queue, me.waits[0])
        while not (yield self.event.happened.load(RELAXED)):
            yield me.state.store(INTERRUPTIBLE)
            yield from self.scheduler.schedule()
        yield from self.scheduler.remove_wait_queue(self.event.queue, me.waits[0])


class LeavesTooSoon(Waiter):
    """Wrong: it is on no queue when it looks again."""

    def wait(self):
        me = self.scheduler.tasks[thread()]
        while not (yield self.event.happened.load(RELAXED)):
            yield me.state.store(INTERRUPTIBLE)
            yield from self.scheduler.add_wait_queue(self.event.queue, me.waits[0])
            yield from self.scheduler.schedule()
            yield from self.scheduler.remove_wait_queue(self.event.queue, me.waits[0])


@pytest.mark.parametrize("memory", ["sc", "tso"])
def test_nobody_sleeps_for_ever(memory: str) -> None:
    """Every interleaving of a waiter and a waker ends."""
    assert "proven" == check_workload(Waiter(), threads=2, memory=memory).verdict


@pytest.mark.parametrize(
    ("wrong", "memory"),
    [(WithoutBarrier, "tso"), (LooksFirst, "sc"), (LeavesTooSoon, "sc")],
    ids=lambda x: x if isinstance(x, str) else x.__name__,
)
def test_what_loses_a_wake_up_is_found(wrong: type[Workload], memory: str) -> None:
    """The order is needed: each other one has an interleaving in which the waiter stays asleep."""
    found = check_workload(wrong(), threads=2, memory=memory)
    assert ("violated", "deadlock") == (found.verdict, found.found)


@pytest.mark.parametrize("seed", range(30))
def test_no_interleaving_loses_a_waiter(seed: int) -> None:
    """Three of them, and the queue is empty when all have gone on."""
    run = interleave(Waiter(), 4, seed)
    assert 0 == run.word(run.root.event.queue.entries.first)
    assert 0 == run.word(run.root.event.queue.entries.last)


class Counting(Workload):
    """Tasks that wait until all others have come as far as they have, without any lock."""

    tasks = param(4)
    rounds = param(3)
    scheduler = part(PerCpuQueues)
    came = word(padded=True)
    queue = part(WaitQueue, padded=True)
    passed = perthread(word())

    def thread(self):
        yield from self.scheduler.idle()

    def task(self):
        yield from self.scheduler.begin()
        me = self.scheduler.tasks[thread()]
        for i in range(self.rounds):
            yield compute(random_below(3000 * NS) + 1)
            yield self.came.fetch_add(1)
            yield from self.scheduler.wake_up(self.queue, INTERRUPTIBLE)
            yield from self.scheduler.add_wait_queue(self.queue, me.waits[0])
            while True:
                yield me.state.store(INTERRUPTIBLE)
                if (yield self.came.load(RELAXED)) >= self.tasks * (i + 1):
                    break
                yield from self.scheduler.schedule()
            yield me.state.store(RUNNING)
            yield from self.scheduler.remove_wait_queue(self.queue, me.waits[0])
            yield self.passed[thread()].store(i + 1, RELAXED)
            yield from self.scheduler.resched()
        yield from self.scheduler.exit()


SCHEDULERS = [LinuxTwoFour, PerCpuQueues]


@given(
    scheduler=st.sampled_from(SCHEDULERS),
    cpus=st.integers(1, 6),
    tasks=st.integers(1, 12),
    seed=st.integers(0, 2**40),
)
def test_no_scheduler_loses_a_waiter(
    scheduler: type[Scheduler], cpus: int, tasks: int, seed: int
) -> None:
    """All tasks pass all rounds, and the queue is empty then."""
    memory, result = finish(Counting(tasks=tasks, scheduler=scheduler), cpus, seed=seed)
    assert cpus == result.finished
    root = memory.root
    assert [3] * tasks == [int(result.memory[int(root.passed[cpus + i])]) for i in range(tasks)]
    assert 0 == int(result.memory[int(root.queue.entries.first)])


@pytest.mark.parametrize("scheduler", SCHEDULERS, ids=lambda s: s.__name__)
def test_both_engines_agree(scheduler: type[Scheduler]) -> None:
    """Traces, counters and meters are equal."""
    tables = load("ideal-8").tables(3, "compact")
    workload = Counting(tasks=5, rounds=2, scheduler=scheduler)
    compare(run_pair(workload, tables, seed=5, until_ps=10**12, heap_lines=0))


class Crowd(Workload):
    """On one CPU tasks join a queue in turn, some as exclusive waiters; the last one wakes them.

    Arguments:
        exclusive: the first so many tasks are. uninterruptible: the state of task 0.
        wakes: calls of ``wake_up`` before anybody else runs; the rest is woken when they have.
    """

    tasks = param(5)
    exclusive = param(2)
    uninterruptible = param(0)
    wakes = param(1)
    scheduler = part(LinuxTwoFour)
    queue = part(WaitQueue, padded=True)

    def setup(self):
        for t in range(n_cpus(), n_threads()):
            yield self.scheduler.tasks[t].weight.counter.store(n_threads() - t)

    def thread(self):
        yield from self.scheduler.idle()

    def task(self):
        yield from self.scheduler.begin()
        which = thread() - n_cpus()
        me = self.scheduler.tasks[thread()]
        if which == self.tasks - 1:
            for _ in range(self.wakes):
                yield from self.scheduler.wake_up(self.queue, INTERRUPTIBLE)
            yield from self.scheduler.schedule()
            yield note(which)
            while (yield self.queue.entries.first.load(RELAXED)):
                yield from self.scheduler.wake_up(self.queue, SLEEPING)
                yield from self.scheduler.schedule()
        else:
            if which < self.exclusive:
                yield from self.scheduler.add_wait_queue_exclusive(self.queue, me.waits[0])
            else:
                yield from self.scheduler.add_wait_queue(self.queue, me.waits[0])
            yield me.state.store(INTERRUPTIBLE)
            if which == 0 and self.uninterruptible:
                yield me.state.store(UNINTERRUPTIBLE)
            yield from self.scheduler.schedule()
            yield note(which)
            yield from self.scheduler.remove_wait_queue(self.queue, me.waits[0])
        yield from self.scheduler.exit()


@pytest.mark.parametrize(
    ("crowd", "woken"),
    [
        ({"exclusive": 0}, {0, 1, 2, 3}),
        ({"exclusive": 4}, {0}),
        ({"exclusive": 2}, {0, 2, 3}),
        ({"exclusive": 4, "wakes": 2}, {0, 1}),
        ({"exclusive": 4, "uninterruptible": 1}, {1}),
    ],
    ids=["all", "one", "all-and-one", "next", "state"],
)
def test_who_is_woken(crowd: dict[str, int], woken: set[int]) -> None:
    """All that are not exclusive, one that is, in the order of arrival; never one that is awake."""
    _, result = finish(Crowd(**crowd), 1, trace=True)
    ran = [row[3] for row in result.trace.tolist() if row[2] == MARK + Mark.NOTE]
    assert woken == set(ran[: ran.index(4)])


def test_who_is_awake_costs_the_walk_only() -> None:
    """Nine more calls before the sleepers run: nine walks, and not once the run queue's lock."""

    def taken(wakes: int) -> dict[str, int]:
        memory, result = finish(Crowd(exclusive=0, wakes=wakes), 1)
        total = LOCK_COUNTERS.index("total")
        return {name: int(result.locks[i, total]) for i, name in enumerate(memory.locks)}

    once, often = taken(1), taken(10)
    assert once["queue.lock"] + 9 == often["queue.lock"]
    assert once["scheduler.runqueue_lock"] == often["scheduler.runqueue_lock"]


def finish(workload: Workload, cpus: int, *, seed: int = 1, **more: Any):  # type: ignore[no-untyped-def]
    """Run on the fast engine: the memory and the result."""
    tables = load("pentium3-8way").tables(cpus, "compact")
    image, memory = prepare(workload, tables, heap_lines=0)
    return memory, fast.run(image, memory, tables, seed=seed, until_ps=10**12, **more)
