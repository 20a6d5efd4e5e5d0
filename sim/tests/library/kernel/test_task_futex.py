"""The mutexes of tasks that share CPUs: proven with their scheduler; the futex's wrong variants."""

import pytest

from locksim.checker import Verdict, check_workload
from locksim.core.client import SwitchedTasks
from locksim.lang import ACQUIRE, RELAXED, RELEASE, param, part, thread, word
from locksim.library.kernel.task_futex import TaskFutex, TaskFutexMutex
from locksim.library.kernel.task_mutex import TaskMutex
from locksim.library.locks.futex import Sleeper
from locksim.library.schedulers.interface import ENDED, RUNNING, UNINTERRUPTIBLE
from locksim.library.schedulers.time_slices import TimeSlices


class Sharing(SwitchedTasks):
    """Tasks count up under the mutex; with ``loses`` one may lose its CPU inside."""

    tasks = param(2)
    loses = param(0)
    scheduler = part(TimeSlices)
    lock = part(TaskFutexMutex)
    count = word()
    ended = word()

    def setup(self):
        yield self.lock.futex.scheduler.store(self.scheduler)

    def thread(self):
        yield from self.scheduler.idle()
        yield self.stopped.fetch_add(1)

    def task(self):
        yield from self.scheduler.begin()
        yield from self.scheduler.leave()
        yield from self.lock.acquire()
        count = yield self.count.load(RELAXED)
        if self.loses:
            yield from self.scheduler.resched()
        yield self.count.store(count + 1, RELAXED)
        yield from self.lock.release()
        yield from self.scheduler.enter()
        yield self.ended.fetch_add(1)
        yield from self.scheduler.exit()


class SharingMutex(Sharing):
    """The same with Linux's mutex."""

    lock = part(TaskMutex)

    def setup(self):
        yield from self.lock.belong(self.scheduler)


class MarksOnly(TaskFutex):
    """Marks the sleeper, and does not wake it."""

    def rouse(self, sleeper: Sleeper):
        yield sleeper.woken.store(1, RELEASE)


class WakesOnly(TaskFutex):
    """Wakes the sleeper, and does not mark it."""

    def rouse(self, sleeper: Sleeper):
        scheduler = yield self.scheduler.load(RELAXED)
        number = yield sleeper.number.load(RELAXED)
        yield from scheduler.wake_up_process(scheduler.tasks[number])


class LooksFirst(TaskFutex):
    """Looks at the mark before it says that it sleeps."""

    def sleep(self, me: Sleeper):
        scheduler = yield self.scheduler.load(RELAXED)
        task = scheduler.tasks[thread()]
        while not (yield me.woken.load(ACQUIRE)):
            yield task.state.store(UNINTERRUPTIBLE)
            yield from scheduler.schedule()
        yield task.state.store(RUNNING, RELAXED)


class EndsInTheOpen(TimeSlices):
    """A task says that it ends without the lock under which it is woken."""

    def end(self):
        yield self.tasks[thread()].state.store(ENDED, RELAXED)


class MarkedMutex(TaskFutexMutex):
    """With MarksOnly."""

    futex = part(MarksOnly, padded=True)


class WokenMutex(TaskFutexMutex):
    """With WakesOnly."""

    futex = part(WakesOnly, padded=True)


class LooksFirstMutex(TaskFutexMutex):
    """With LooksFirst."""

    futex = part(LooksFirst, padded=True)


def checked(load: Sharing, cpus: int, tasks: int, memory: str = "sc") -> Verdict:
    """Whether each task counts, and ends."""
    expect = {"count": tasks, "ended": tasks}
    return check_workload(load, threads=cpus, expect=expect, memory=memory, simplest=False)


@pytest.mark.parametrize("load", [Sharing, SharingMutex])
@pytest.mark.parametrize(("tasks", "memory"), [(2, "tso"), (3, "sc")])
def test_tasks_of_one_cpu_are_proven(load, tasks, memory):
    """The holder may lose its CPU, and the others sleep meanwhile."""
    assert checked(load(tasks=tasks, loses=1), 1, tasks, memory).is_proof()


@pytest.mark.slow
@pytest.mark.parametrize("load", [Sharing, SharingMutex])
@pytest.mark.parametrize("memory", ["sc", "tso"])
def test_tasks_of_two_cpus_are_proven(load, memory):
    """A wake-up meets a task that goes to sleep, has not gone yet, or has ended."""
    assert checked(load(), 2, 2, memory).is_proof()


@pytest.mark.parametrize("lock", [MarkedMutex, WokenMutex])
def test_half_a_wake_up_is_not_enough(lock):
    """The sleeper is marked and made runnable."""
    assert "deadlock" == checked(Sharing(lock=lock, loses=1), 1, 2).found


@pytest.mark.slow
@pytest.mark.parametrize("wrong", [{"lock": LooksFirstMutex}, {"scheduler": EndsInTheOpen}])
def test_a_wake_up_that_meets_the_sleeper_or_its_end(wrong):
    """It is lost, or a task that has ended is run once more."""
    assert "deadlock" == checked(Sharing(**wrong), 2, 2).found
