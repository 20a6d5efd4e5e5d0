"""Schedulers: which thread a CPU runs.

In the test clients every task must come to its end: one that is runnable and forgotten, or asleep
though it was woken, leaves the CPUs without a way to theirs. A task that two CPUs run at once is
found where the second one switches to it (:mod:`locksim.checker.models.tasks`). The threads that
one asks for are the CPUs.
"""

from __future__ import annotations

from typing import ClassVar

from locksim.core.client import Client, SwitchedTasks
from locksim.kinds.kind import StructKind
from locksim.kinds.load import LoadSettings
from locksim.lang import *
from locksim.library.locks.ttas import TTASLock
from locksim.library.schedulers.interface import (
    INTERRUPTIBLE,
    RUNNING,
    SLEEPING,
    Scheduler,
    WaitQueue,
)
from locksim.library.schedulers.percpu_queues import PerCpuQueues
from locksim.library.workloads.token_ring import TokenRing

TASK_FAULTS = {"assertion": "a task on two CPUs, or one that went on without what it waits for"}
"""What a failed assertion is called here."""


class SchedulerKind(StructKind):
    """See :mod:`locksim.library.schedulers.interface`."""

    base: ClassVar[type[Struct]] = Scheduler
    unit = "tokens passed on"
    paced = False
    unchecked = "without run queues a task sleeps with its CPU, and nothing is chosen"

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """Tasks that pass tokens round a ring."""
        return TokenRing(scheduler=struct, tasks=settings.tasks, work_ps=settings.think_ps)

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """More tasks than CPUs; or one, which even a scheduler without run queues can run."""
        tasks = 5 if self._queues(struct) else 1
        return [TokenRing(scheduler=struct, tasks=tasks, work_ps=think_ps)]

    def clients(self, struct: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
        """A task that waits for another, and tasks that give up their CPUs.

        On one CPU alone, where that is small, also tasks that wait under a lock. None without run
        queues: there a task sleeps with its CPU, and nothing is chosen.
        """
        if not self._queues(struct):
            return []
        loads: dict[str, SwitchedTasks] = {
            "a task waits for another": Waiting(scheduler=struct),
            "tasks give up their CPUs": Yielding(scheduler=struct, rounds=rounds),
        }
        if threads == 1:
            loads["tasks wait for each other under a lock"] = Sleeping(scheduler=struct)
        return [
            Client(name, load, {"ended": load._params["tasks"]}, means=TASK_FAULTS)
            for name, load in loads.items()
        ]

    def _queues(self, struct: Struct | type[Struct]) -> bool:
        cls = struct if isinstance(struct, type) else type(struct)
        return bool(cls.FIELDS.keys() - Scheduler.FIELDS.keys())


class SandboxedSchedulerKind(SchedulerKind):
    """A scheduler of a submission: it comes out of a grader's sandbox without its base."""

    base = Struct
    methods = ("wake_up_process",)


class Waiting(SwitchedTasks):
    """The first task waits for what the second makes, on a wait queue.

    With more CPUs than one, the second keeps its CPU until the first has gone on. So another CPU
    must run it: none may halt while a task is runnable.
    """

    tasks = param(2)
    scheduler = part(PerCpuQueues)
    queue = part(WaitQueue)
    made = word()
    seen = word()
    ended = word()

    def thread(self):
        yield from self.scheduler.idle()
        yield self.stopped.fetch_add(1)

    def task(self):
        yield from self.scheduler.begin()
        if thread() == n_cpus():
            yield from self.wait()
            yield self.seen.store(1)
        else:
            yield self.made.store(1)
            yield from self.scheduler.wake_up(self.queue, SLEEPING)
            while n_cpus() > 1 and not (yield self.seen.load()):
                yield pause()
        yield self.ended.fetch_add(1)
        yield from self.scheduler.exit()

    def wait(self):
        """As the rules of waiting have it: entry and state come before the last look."""
        me = self.scheduler.tasks[thread()]
        yield from self.scheduler.add_wait_queue(self.queue, me.waits[0])
        while True:
            yield me.state.store(INTERRUPTIBLE)
            if (yield self.made.load()):
                break
            yield from self.scheduler.schedule()
        yield me.state.store(RUNNING)
        yield from self.scheduler.remove_wait_queue(self.queue, me.waits[0])


class Yielding(SwitchedTasks):
    """Every task goes back to user space now and then, where its time slice may be over.

    Arguments:
        rounds: how often each.
    """

    rounds = param(1)
    tasks = param(2)
    scheduler = part(PerCpuQueues)
    ended = word()

    def thread(self):
        yield from self.scheduler.idle()
        yield self.stopped.fetch_add(1)

    def task(self):
        yield from self.scheduler.begin()
        for _ in range(self.rounds):
            yield from self.scheduler.resched()
        yield self.ended.fetch_add(1)
        yield from self.scheduler.exit()


class Sleeping(SwitchedTasks):
    """The first task begins when the second wakes it; the second waits until the first wakes it."""

    tasks = param(2)
    scheduler = part(PerCpuQueues)
    queue = part(WaitQueue)
    lock = part(TTASLock)
    turn = word()
    ended = word()

    def setup(self):
        """The first task is on no run queue."""
        yield from self.scheduler.begin_asleep(n_cpus(), self.queue.entries)

    def thread(self):
        yield from self.scheduler.idle()
        yield self.stopped.fetch_add(1)

    def task(self):
        yield from self.scheduler.begin()
        first = thread() == n_cpus()
        if first:
            me = self.scheduler.tasks[thread()]
            yield from self.scheduler.remove_wait_queue(self.queue, me.waits[0])
            assert (yield self.turn.load()) == 1
        yield from self.lock.acquire()
        yield self.turn.store(1 + first)
        yield from self.scheduler.wake_up(self.queue, SLEEPING)
        while (yield self.turn.load()) == 1:
            yield from self.scheduler.wait(self.queue, self.lock)
        yield from self.lock.release()
        yield self.ended.fetch_add(1)
        yield from self.scheduler.exit()
