"""Schedulers with run queues: proven on few CPUs, and each broken in several ways is caught."""

import pytest
from checker.proofs import for_all_sizes
from kinds.verdicts import BUDGET

from locksim.checker import CheckError, ReplayError, check_lock, replay
from locksim.kinds.checking import clients_of
from locksim.lang import RELAXED, RELEASE, block, cpu, n_cpus, now, switch, thread, wake
from locksim.library.schedulers.interface import RUNNING, Task, WaitEntry, WaitQueue
from locksim.library.schedulers.linux_2_4 import HAS_CPU, LinuxTwoFour
from locksim.library.schedulers.percpu_queues import PerCpuQueues
from locksim.library.schedulers.pinned import Pinned

WAIT, YIELD = "a task waits for another", "tasks give up their CPUs"
SLEEP = "tasks wait for each other under a lock"


class WakesNobody(PerCpuQueues):
    """Wrong: a task that is woken is runnable, and on no queue."""

    def wake_up_process(self, task: Task):
        yield task.state.store(RUNNING)
        return 1


class ForgetsWhoYields(PerCpuQueues):
    """Wrong: a task that gives up its CPU is not put on the queue."""

    def schedule(self):
        queue = self.queues[cpu()]
        yield from queue.lock.acquire()
        number = cpu()
        task = yield from queue.waiting.take()
        if task:
            number = yield task.number.load(RELAXED)
            yield queue.slice_end.store(now() + self.slice_ps, RELAXED)
        yield switch(number)
        yield from self.queues[cpu()].lock.release()


class KeepsTheQueue(PerCpuQueues):
    """Wrong: a task that begins keeps the lock of its CPU's queue."""

    def begin(self):
        yield self.queues[cpu()].idle.load(RELAXED)


class HaltsWithoutLooking(PerCpuQueues):
    """Wrong: a CPU does not look into the queues once more when it is marked idle."""

    def rest(self):
        queue = self.queues[cpu()]
        yield block()
        yield queue.idle.store(0)


class LetsGoBeforeTheSwitch(PerCpuQueues):
    """Wrong: the queue's lock is released before the task has left its CPU."""

    def begin(self):
        yield self.queues[cpu()].idle.load(RELAXED)

    def schedule(self):
        queue = self.queues[cpu()]
        yield from queue.lock.acquire()
        if thread() >= n_cpus():
            me = self.tasks[thread()]
            if (yield me.state.load(RELAXED)) == RUNNING:
                yield from queue.waiting.append(me)
            else:
                yield me.active.store(0, RELAXED)
        number = cpu()
        task = yield from queue.waiting.take()
        if task:
            number = yield task.number.load(RELAXED)
        yield from queue.lock.release()
        yield switch(number)


class QueuesNobody(LinuxTwoFour):
    """Wrong: a task that is woken is not put on the list."""

    def wake_up_process(self, task: Task):
        yield task.state.store(RUNNING)
        return 1


class SendsNoInterrupt(LinuxTwoFour):
    """Wrong: an idle CPU is asked to reschedule, and halts on."""

    def tell_idle(self, other):
        yield self.cpus[other].need_resched.store(1)


class TakesWhoIsRunning(LinuxTwoFour):
    """Wrong: the choice overlooks that a task has a CPU."""

    def choose(self, prev):
        chosen = cpu()
        number = yield self.first.load(RELAXED)
        while number:
            if number != prev or (yield self.tasks[number].state.load(RELAXED)) == RUNNING:
                chosen = number
            number = yield self.tasks[number].weight.next.load(RELAXED)
        return chosen


class LooksNoMore(LinuxTwoFour):
    """Wrong: who was woken while it left its CPU is on the list, and no CPU hears of it."""

    def schedule_tail(self):
        last = yield self.cpus[cpu()].last.load(RELAXED)
        if last >= n_cpus():
            placement = yield self.tasks[last].weight.placement.load(RELAXED)
            yield self.tasks[last].weight.placement.store(placement & ~HAS_CPU, RELEASE)


class StopsOneCpu(LinuxTwoFour):
    """Wrong: the last task's end stops its own CPU only."""

    def halt(self):
        yield self.halted.store(1)
        yield wake(cpu())


FOUND = {
    (WakesNobody, WAIT, 1): "deadlock",
    (ForgetsWhoYields, YIELD, 1): "deadlock",
    (KeepsTheQueue, YIELD, 1): "deadlock",
    (HaltsWithoutLooking, WAIT, 2): "deadlock",
    (LetsGoBeforeTheSwitch, YIELD, 2): "assertion",
    (QueuesNobody, WAIT, 2): "deadlock",
    (SendsNoInterrupt, WAIT, 2): "deadlock",
    (TakesWhoIsRunning, YIELD, 2): "assertion",
    (LooksNoMore, WAIT, 2): "deadlock",
    (StopsOneCpu, WAIT, 2): "deadlock",
}


@pytest.mark.covering("scheduler", every=2)
@pytest.mark.parametrize(
    ("scheduler", "client", "cpus"), FOUND, ids=lambda x: getattr(x, "__name__", x)
)
def test_wrong_schedulers_are_caught(scheduler, client, cpus):
    """A task is forgotten, a wake-up lost, or a task runs on two CPUs."""
    verdict = check_lock(scheduler, threads=cpus, client=client, budget=BUDGET)
    assert ("violated", FOUND[scheduler, client, cpus]) == (verdict.verdict, verdict.found)


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize("scheduler", [PerCpuQueues, LinuxTwoFour])
def test_schedulers_are_proven_on_one_cpu(scheduler, memory):
    """Two tasks, one CPU. Tasks that wait under a lock store too often for c11's memory."""
    for client in (WAIT, YIELD, SLEEP):
        asked = {"threads": 1, "memory": memory, "client": client}
        verdict = check_lock(scheduler, **asked, budget=BUDGET)
        if client == SLEEP and memory == "c11":
            assert "proven within limits" == verdict.verdict
        else:
            assert for_all_sizes(verdict)


class BeginsAwake(PerCpuQueues):
    """Wrong: a task that is to begin asleep stays on its run queue."""

    def put_aside(self, number):
        yield self.tasks[number].state.load(RELAXED)


class SleepsUnseen(PerCpuQueues):
    """Wrong: who waits under a lock is on no wait queue."""

    def add_wait_queue_exclusive(self, queue: WaitQueue, entry: WaitEntry):
        yield entry.flags.load(RELAXED)


@pytest.mark.parametrize(
    ("scheduler", "found"), [(BeginsAwake, "assertion"), (SleepsUnseen, "deadlock")]
)
def test_tasks_that_sleep_under_a_lock_are_asked_about(scheduler, found):
    """Only one client of one CPU notices."""
    verdict = check_lock(scheduler, threads=1)
    assert (found, SLEEP) == (verdict.found, verdict.client)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scheduler", "memory"), [(PerCpuQueues, "sc"), (PerCpuQueues, "tso"), (LinuxTwoFour, "sc")]
)
def test_schedulers_are_proven_on_two_cpus(scheduler, memory):
    """Two tasks, two CPUs."""
    verdict = check_lock(scheduler, threads=2, memory=memory, budget=BUDGET)
    assert for_all_sizes(verdict)


@pytest.mark.slow
def test_a_waker_of_linux_2_4_needs_a_fence():
    """Its store of the state waits in the buffer while it looks whether the task has a CPU."""
    verdict = check_lock(
        LinuxTwoFour, threads=2, memory="tso", client=WAIT, budget=BUDGET, simplest=False
    )
    assert ("violated", "deadlock") == (verdict.verdict, verdict.found)


def test_a_task_on_two_cpus_cannot_be_replayed():
    """The generators know no such switch; the message says so."""
    verdict = check_lock(WakesNobody, threads=1, client=WAIT)
    with pytest.raises(ReplayError, match="its workload uses tasks"):
        replay(verdict.counterexample, clients_of(WakesNobody, 1, 1)[0], memory="sc")


def test_too_many_tasks_are_refused():
    """CPUs and tasks share eight places."""
    with pytest.raises(CheckError, match="7 CPUs and 2 tasks: give at most 8 in all"):
        check_lock(PerCpuQueues, threads=7)


def test_without_run_queues_there_is_nothing_to_ask():
    """A pinned task sleeps with its CPU."""
    with pytest.raises(CheckError, match="Pinned has no test clients"):
        check_lock(Pinned)
