"""The scheduler of 2.4: every task runs, on one CPU at a time; no wake-up is lost."""

import pytest
from engine.engine_pair import compare, run_pair

from locksim.engine.counters import CPU_COUNTERS, LOCK_COUNTERS
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.engine.trace import MARK
from locksim.lang import (
    MS,
    NS,
    RELAXED,
    US,
    Workload,
    compute,
    done,
    n_cpus,
    note,
    param,
    part,
    perthread,
    random_below,
    thread,
    word,
)
from locksim.lang.ops import Mark
from locksim.library.locks.ttas import TTASLock
from locksim.library.schedulers.interface import INTERRUPTIBLE, WaitQueue
from locksim.library.schedulers.linux_2_4 import LinuxTwoFour
from locksim.library.workloads.token_ring import TokenRing
from locksim.machine import load
from locksim.papers.franke_2001 import setting as franke_2001

TASKS = 12
ROUNDS = 6


class Turns(Workload):
    """Tasks that take a unit in turn, and prove that nobody else runs them or is inside."""

    tasks = param(TASKS)
    scheduler = part(LinuxTwoFour)
    lock = part(TTASLock, padded=True)
    free = word(1)
    queue = part(WaitQueue)
    inside = word(padded=True)
    running = perthread(word())
    rounds = perthread(word())

    def thread(self):
        yield from self.scheduler.idle()

    def task(self):
        yield from self.scheduler.begin()
        for i in range(ROUNDS):
            yield from self.lock.acquire()
            while not (yield self.free.load(RELAXED)):
                yield from self.scheduler.wait(self.queue, self.lock)
            yield self.free.store(0, RELAXED)
            yield from self.lock.release()
            assert (yield self.inside.swap(1)) == 0
            assert (yield self.running[thread()].swap(1)) == 0
            yield compute(1000 + random_below(1000))
            yield self.running[thread()].store(0)
            yield self.inside.store(0)
            yield from self.lock.acquire()
            yield self.free.store(1, RELAXED)
            yield from self.scheduler.wake_up(self.queue, INTERRUPTIBLE)
            yield from self.lock.release()
            yield self.rounds[thread()].store(i + 1)
            yield done()
            yield from self.scheduler.resched()
        yield from self.scheduler.exit()


class Weights(Workload):
    """Four tasks of different ticks, CPUs and address spaces on one CPU: each notes that it ran."""

    tasks = param(4)
    scheduler = part(LinuxTwoFour)

    def setup(self):
        for t in range(1, 5):
            yield from self.scheduler.share_memory(t, 1 + (t == 3))
            yield self.scheduler.tasks[t].weight.placement.store(
                2
            )  # that is CPU 1, which is not there
        yield self.scheduler.tasks[2].weight.placement.store(0)
        yield self.scheduler.tasks[1].weight.counter.store(9)
        yield self.scheduler.tasks[4].weight.counter.store(0)

    def thread(self):
        yield from self.scheduler.idle()

    def task(self):
        yield from self.scheduler.begin()
        yield note(10 * thread() + (yield self.scheduler.tasks[thread()].weight.counter.load()))
        yield from self.scheduler.exit()


class Hungry(Workload):
    """Tasks that never wait."""

    tasks = param(3)
    scheduler = part(LinuxTwoFour)

    def thread(self):
        yield from self.scheduler.idle()

    def task(self):
        yield from self.scheduler.begin()
        while True:
            yield compute(10 * US)
            yield note(thread())
            yield from self.scheduler.resched()


class Pushing(Workload):
    """One task works on; another, with more ticks, is woken by a third from the other CPU."""

    tasks = param(3)
    more = param(0)
    scheduler = part(LinuxTwoFour)
    queue = part(WaitQueue, padded=True)

    def setup(self):
        yield from self.scheduler.begin_asleep(n_cpus() + 2, self.queue.entries)
        counter = yield self.scheduler.tasks[n_cpus() + 2].weight.counter.load()
        yield self.scheduler.tasks[n_cpus() + 2].weight.counter.store(counter + self.more)

    def thread(self):
        yield from self.scheduler.idle()

    def task(self):
        yield from self.scheduler.begin()
        which = thread() - n_cpus()
        if which == 1:
            yield compute(50_000 * NS)
            yield from self.scheduler.wake_up(self.queue, INTERRUPTIBLE)
        if which < 2:
            for _ in range(20):
                yield compute(10_000 * NS)
                yield from self.scheduler.resched()
        yield note(which)
        yield from self.scheduler.exit()


def finish(workload, cpus, until_ps=10**12, **more):
    """Run on the fast engine."""
    tables = load("pentium3-8way").tables(cpus, "compact")
    image, memory = prepare(workload, tables, heap_lines=0)
    return memory, fast.run(image, memory, tables, seed=3, until_ps=until_ps, **more)


def notes(result):
    """What the tasks noted, in the order of time."""
    return [row[3] for row in result.trace.tolist() if row[2] == MARK + Mark.NOTE]


@pytest.mark.parametrize("cpus", [1, 2, 5])
def test_every_task_gets_its_turns(cpus):
    """All tasks finish all rounds, all CPUs return, and the run queue is empty."""
    memory, result = finish(Turns(scheduler=LinuxTwoFour(tick_ps=20 * US)), cpus)
    assert cpus == result.finished
    root = memory.root
    assert [ROUNDS] * TASKS == [
        int(result.memory[int(root.rounds[cpus + i])]) for i in range(TASKS)
    ]
    assert 0 == int(result.memory[int(root.scheduler.runnable)])
    assert 0 == result.locks[:, LOCK_COUNTERS.index("violations")].sum()


@pytest.mark.parametrize("seed", range(4))
def test_no_wake_up_is_lost_whatever_the_seed(seed):
    """Rings of tokens on three CPUs, with ticks: the program always ends."""
    tables = load("ideal-4").tables(3, "compact")
    ring = TokenRing(tasks=11, ring=4, rounds=6, scheduler=LinuxTwoFour(tick_ps=15 * US))
    image, memory = prepare(ring, tables, heap_lines=0)
    result = fast.run(image, memory, tables, seed=seed, until_ps=10**12)
    assert 3 == result.finished
    assert 66 == result.cpu[:, CPU_COUNTERS.index("done")].sum()


@pytest.mark.parametrize("cpus", [1, 3])
def test_both_engines_agree(cpus):
    """Traces, counters and meters are equal."""
    tables = load("pentium3-8way").tables(cpus, "compact")
    workload = Turns(tasks=6, scheduler=LinuxTwoFour(tick_ps=20 * US))
    compare(run_pair(workload, tables, seed=4, until_ps=10**12, heap_lines=0))


def test_choice_by_weight():
    """Same CPU before more ticks before same address space; no ticks last, after all got new."""
    _, result = finish(Weights(), 1, trace=True)
    # Task 2 ran here last; 1 has nine ticks; 3 has six; 4 had none and gets six.
    assert [26, 19, 36, 46] == notes(result)


def test_ticks_share_a_cpu():
    """Tasks that never wait run for six ticks each, in turn."""
    scheduler = LinuxTwoFour(tick_ps=MS // 10)
    _, result = finish(Hungry(scheduler=scheduler), 1, until_ps=18 * MS // 10, trace=True)
    ran = notes(result)
    turns = [t for i, t in enumerate(ran) if i == 0 or ran[i - 1] != t]
    assert [1, 2, 3] == sorted(turns)
    assert all(55 <= ran.count(t) <= 62 for t in turns)


@pytest.mark.parametrize(("more", "first"), [(0, {0, 1}), (20, {2})])
def test_who_is_woken_preempts_only_who_weighs_less(more, first):
    """With equal ticks it waits for a CPU; with twenty more it gets one when that looks."""
    _, result = finish(Pushing(more=more), 2, trace=True)
    assert notes(result)[0] in first


def test_length_of_the_queue_is_metered():
    """The mean is over all calls of schedule(), the longest at most all tasks."""
    memory, result = finish(Turns(), 1)
    state = memory.root.scheduler.cpus[0]
    looks, lengths, longest = (
        int(result.memory[int(w)]) for w in (state.looks, state.lengths, state.longest)
    )
    assert TASKS == longest
    assert 0 < lengths < looks * TASKS


def test_walk_takes_longer_with_more_tasks():
    """The lock is held for a time that grows with the runnable tasks."""

    def hold(tasks):
        memory, result = finish(
            Hungry(tasks=tasks, scheduler=LinuxTwoFour(tick_ps=MS // 10)), 2, until_ps=10 * MS
        )
        row = result.locks[memory.locks.index("scheduler.runqueue_lock")]
        return row[LOCK_COUNTERS.index("hold_ps")] / row[LOCK_COUNTERS.index("total")]

    assert 2 * hold(4) < hold(40)


def test_a_switch_takes_what_lmbench_measured():
    """Two tasks that pass a token on one CPU: choice, wake-up and switch take 4.08 us (2p/0K)."""
    ring = TokenRing(tasks=2, ring=2, work_ps=0, rounds=200, scheduler=LinuxTwoFour())
    profile = franke_2001.machine_of(load(franke_2001.MACHINE), franke_2001.Costs())
    tables = profile.tables(1, "compact")
    image, memory = prepare(ring, tables, heap_lines=0)
    result = fast.run(image, memory, tables, seed=1, until_ps=10**12)
    assert 4.08 == pytest.approx(result.end_ps / 400 / 1e6, rel=0.05)


def test_cpus_are_not_left_idle():
    """As many hungry tasks as CPUs run side by side."""
    _, result = finish(Hungry(tasks=4), 4, until_ps=MS, trace=True)
    assert {4, 5, 6, 7} == set(notes(result))
    assert 350 < len(notes(result))
