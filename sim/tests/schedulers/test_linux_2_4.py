"""The scheduler of 2.4: every task runs, on one CPU at a time; no wake-up is lost."""

import pytest

from locksim.engine import fast
from locksim.kernel.semaphore import Semaphore
from locksim.lang import (
    NULL,
    RELAXED,
    Workload,
    array,
    compute,
    cpu,
    done,
    note,
    param,
    part,
    random_below,
    word,
)
from locksim.machine import load
from locksim.schedulers.linux_2_4 import SLEEPING, LinuxTwoFour, Task
from locksim.simulation import prepare

TASKS = 12
ROUNDS = 6


class Turns(Workload):
    """Tasks that take a semaphore in turn, and prove that nobody else runs them or is inside."""

    n_tasks = param(TASKS)
    scheduler = part(LinuxTwoFour)
    semaphore = part(Semaphore, padded=True)
    tasks = array("n_tasks", Task, padded=True)
    running = array("n_tasks", word())
    inside = word(padded=True)
    left = word(TASKS)

    def setup(self):
        for number in range(self.n_tasks):
            yield from self.scheduler.add(self.tasks[number], number, number % 2, 0)

    def thread(self):
        task = yield from self.scheduler.schedule(NULL)
        while task:
            number = yield task.number.load(RELAXED)
            assert (yield self.running[number].swap(1, RELAXED)) == 0
            yield from self.run(task)
            yield self.running[number].store(0, RELAXED)
            task = yield from self.scheduler.schedule(task)

    def run(self, task: Task):
        while (yield from self.section(task)):
            yield from self.scheduler.tick(task)
            if (yield from self.scheduler.need_resched()):
                return

    def section(self, task: Task):
        progress = yield task.progress.load(RELAXED)
        if progress == ROUNDS:
            yield task.state.store(SLEEPING, RELAXED)
            if (yield self.left.fetch_add(-1)) == 1:
                yield from self.scheduler.halt()
            return 0
        if not (yield from self.semaphore.down(task)):
            return 0
        assert (yield self.inside.swap(1)) == 0
        yield compute(1000 + random_below(1000))
        yield self.inside.store(0)
        sleeper = yield from self.semaphore.up()
        if sleeper:
            yield from self.scheduler.wake_up(sleeper)
        yield task.progress.store(progress + 1, RELAXED)
        number = yield task.number.load(RELAXED)
        yield note(100 * cpu() + number)
        yield done()
        return 1


class Weights(Workload):
    """Tasks with different ticks, CPUs and address spaces: each runs once and goes to sleep."""

    scheduler = part(LinuxTwoFour)
    tasks = array(4, Task, padded=True)

    def setup(self):
        yield from self.scheduler.add(self.tasks[0], 0, 1, 1)
        yield from self.scheduler.add(self.tasks[1], 1, 1, 0)
        yield from self.scheduler.add(self.tasks[2], 2, 2, 1)
        yield from self.scheduler.add(self.tasks[3], 3, 1, 1)
        yield self.tasks[0].goodness.counter.store(9)
        yield self.tasks[3].goodness.counter.store(0)

    def thread(self):
        if cpu() == 0:
            task = yield from self.scheduler.schedule(NULL)
            for _ in range(3):
                number = yield task.number.load(RELAXED)
                counter = yield task.goodness.counter.load(RELAXED)
                yield note(10 * number + counter)
                yield task.state.store(SLEEPING, RELAXED)
                task = yield from self.scheduler.schedule(task)
            number = yield task.number.load(RELAXED)
            counter = yield task.goodness.counter.load(RELAXED)
            yield note(10 * number + counter)


def finish(workload, cpus):
    """Run to the end on the fast engine."""
    tables = load("pentium3-8way").tables(cpus, "compact")
    image, memory = prepare(workload, tables)
    return memory, fast.run(image, memory, tables, seed=3, until_ps=10**12)


@pytest.mark.parametrize("per_cpu", [0, 1])
@pytest.mark.parametrize("cpus", [1, 2, 5])
def test_every_task_gets_its_turns(cpus, per_cpu):
    """All tasks finish all rounds and all CPUs return; the program asserts the rest."""
    scheduler = LinuxTwoFour(per_cpu=per_cpu, tick_calls=5)
    memory, result = finish(Turns(scheduler=scheduler), cpus)
    assert cpus == result.finished
    root = memory.root
    assert [ROUNDS] * TASKS == [
        int(result.memory[int(root.tasks[i].progress)]) for i in range(TASKS)
    ]
    assert 0 == sum(int(result.memory[int(root.scheduler.queues[i].running)]) for i in range(cpus))


@pytest.mark.parametrize("per_cpu", [0, 1])
@pytest.mark.parametrize("seed", range(4))
def test_no_wake_up_is_lost_in_any_order(interleave, seed, per_cpu):
    """Random interleavings of three CPUs: the program always ends."""
    run = interleave(
        Turns(scheduler=LinuxTwoFour(per_cpu=per_cpu, tick_calls=4)), 3, seed, steps=200_000
    )
    assert 0 == run.word(run.root.left)


def test_choice_by_weight(interleave):
    """Same CPU before more ticks before same address space; no ticks last, after all got new."""
    from locksim.lang.ops import Mark

    run = interleave(Weights(), 1, 1, steps=10_000)
    chosen = [value for _, mark, value in run.log if mark == Mark.NOTE]
    # 1 ran here last; 0 has nine ticks; 2 has six; 3 had none and gets six.
    assert [16, 9, 26, 36] == chosen


def test_walk_is_long_on_one_queue_only():
    """With one queue the lock is held longer than with a queue a CPU."""

    def hold(per_cpu):
        scheduler = LinuxTwoFour(per_cpu=per_cpu)
        memory, result = finish(Turns(n_tasks=TASKS, scheduler=scheduler), 4)
        rows = [i for i, name in enumerate(memory.locks) if "queues" in name]
        return result.locks[rows, 4].sum() / result.locks[rows, 0].sum()

    assert hold(1) < hold(0)
