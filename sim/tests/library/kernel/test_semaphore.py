"""System V semaphores: every unit is taken once, who sleeps is told once, in order of arrival."""

import pytest
from engine.engine_pair import compare, run_pair
from hypothesis import given
from hypothesis import strategies as st

from locksim.engine.counters import LOCK_COUNTERS
from locksim.engine.fast import engine as fast
from locksim.engine.prepared import prepare
from locksim.engine.trace import MARK
from locksim.lang import (
    NS,
    Workload,
    compute,
    n_cpus,
    n_threads,
    note,
    param,
    part,
    random_below,
    thread,
    word,
)
from locksim.lang.ops import Mark
from locksim.library.avc.no_check import NoCheck
from locksim.library.kernel.loopback import Loopback
from locksim.library.schedulers.linux_2_4 import LinuxTwoFour
from locksim.library.schedulers.percpu_queues import PerCpuQueues
from locksim.machine import load


class Handing(Workload):
    """Half of the tasks add units to a semaphore, the others take as many.

    Arguments:
        tasks: an even number. rounds: units of each.
    """

    tasks = param(4)
    rounds = param(5)
    kernel = part(Loopback)
    taken = word(padded=True)

    def thread(self):
        yield from self.kernel.scheduler.idle()

    def task(self):
        yield from self.kernel.scheduler.begin()
        for _ in range(self.rounds):
            yield compute(random_below(5000 * NS) + 1)
            if (thread() - n_cpus()) % 2:
                yield from self.kernel.up(0)
            else:
                yield from self.kernel.down(0)
                yield self.taken.fetch_add(1)
        yield from self.kernel.scheduler.exit()


class Sleepers(Workload):
    """On one CPU tasks sleep in ``down`` one after another; then the last one adds units.

    Arguments:
        ups: units at once, before any sleeper runs.
    """

    tasks = param(4)
    ups = param(1)
    kernel = part(Loopback)

    def setup(self):
        for t in range(n_cpus(), n_threads()):
            yield self.kernel.scheduler.tasks[t].weight.counter.store(n_threads() - t)

    def thread(self):
        yield from self.kernel.scheduler.idle()

    def task(self):
        yield from self.kernel.scheduler.begin()
        which = thread() - n_cpus()
        if which == self.tasks - 1:
            for _ in range(self.ups):
                yield from self.kernel.up(0)
            yield from self.kernel.scheduler.schedule()
            yield note(which)
            for _ in range(self.tasks - 1 - self.ups):
                yield from self.kernel.up(0)
        else:
            yield from self.kernel.down(0)
            yield note(which)
        yield from self.kernel.scheduler.exit()


class Giver(Workload):
    """A task gives three, one by one; three others, asleep when the run begins, take one each."""

    tasks = param(4)
    kernel = part(Loopback)

    def setup(self):
        for t in range(n_cpus() + 1, n_cpus() + 4):
            yield from self.kernel.begin_in_down(t, 0)

    def thread(self):
        yield from self.kernel.scheduler.idle()

    def task(self):
        yield from self.kernel.scheduler.begin()
        if thread() == n_cpus():
            for _ in range(3):
                yield compute(50_000 * NS)
                yield from self.kernel.up(0)
        else:
            yield from self.kernel.woken_in_down(0)
            yield from self.kernel.down(0)
            yield note(thread() - n_cpus())
        yield from self.kernel.scheduler.exit()


def kernel(**more):
    """A kernel with one semaphore, without access checks."""
    return Loopback(cache=NoCheck(), **more)


def finish(workload, cpus, seed=1):
    """Run to the end on the fast engine."""
    tables = load("pentium3-8way").tables(cpus, "compact")
    image, memory = prepare(workload, tables, heap_lines=0)
    return memory, fast.run(image, memory, tables, seed=seed, until_ps=10**12, trace=True)


def notes(result):
    """What the tasks noted, in the order of time."""
    return [row[3] for row in result.trace.tolist() if row[2] == MARK + Mark.NOTE]


@given(
    scheduler=st.sampled_from([LinuxTwoFour(), PerCpuQueues()]),
    cpus=st.integers(1, 5),
    pairs=st.integers(1, 5),
    seed=st.integers(0, 2**40),
)
def test_every_unit_is_taken_once(scheduler, cpus, pairs, seed):
    """All tasks end, no unit is left, and nobody is on the list."""
    workload = Handing(tasks=2 * pairs, kernel=kernel(scheduler=scheduler))
    memory, result = finish(workload, cpus, seed)
    assert cpus == result.finished
    assert 5 * pairs == int(result.memory[int(memory.root.taken)])
    semaphore = memory.root.kernel.semaphores[0]
    left = (semaphore.count, semaphore.pending.first, semaphore.pending.last)
    assert [0, 0, 0] == [int(result.memory[int(w)]) for w in left]


def test_both_engines_agree():
    """Traces, counters and meters are equal."""
    tables = load("pentium3-8way").tables(3, "compact")
    workload = Handing(tasks=6, rounds=3, kernel=kernel())
    compare(run_pair(workload, tables, seed=4, until_ps=10**12, heap_lines=0))


@pytest.mark.parametrize("cpus", [1, 3])
def test_first_come_first_woken(cpus):
    """The sleepers get one each, in the order in which they slept, and none is left."""
    memory, result = finish(Giver(), cpus)
    assert cpus == result.finished
    expected = [1, 2, 3] if cpus > 1 else [3, 2, 1]  # on one CPU the last woken is listed first
    assert expected == notes(result)
    assert 0 == result.memory[int(memory.root.kernel.semaphores[0].count)]


@pytest.mark.parametrize("ups", [1, 2, 3])
def test_each_unit_wakes_the_next_sleeper(ups):
    """In the order of arrival; who was told before is passed over."""
    _, result = finish(Sleepers(ups=ups, kernel=kernel()), 1)
    ran = notes(result)
    assert set(range(ups)) == set(ran[: ran.index(3)])


def test_nobody_is_told_twice():
    """Five units for one sleeper: one wake-up, and the run queue's lock is taken for no other."""

    def taken(ups):
        memory, result = finish(Sleepers(tasks=2, ups=ups, kernel=kernel()), 1)
        row = memory.locks.index("kernel.scheduler.runqueue_lock")
        return int(result.locks[row, LOCK_COUNTERS.index("total")])

    assert taken(1) == taken(5)
