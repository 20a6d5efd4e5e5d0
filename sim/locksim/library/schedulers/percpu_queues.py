"""Per-CPU run queues: every CPU has a list of runnable tasks, a lock for it, and looks there first.

Mechanism. ``schedule()`` takes the own queue's lock, appends the running task if it can go on,
takes the oldest task and switches to it; with none, to the CPU's idle thread. The lock is held
across the switch, and the task that runs next on that CPU releases it (Linux's
``finish_task_switch``). So no CPU can take a task from the queue that is still running.
``wake_up_process`` appends a task to the queue of the CPU where it ran last, whose cache still has
its data, and wakes that CPU if it halts. An idle CPU looks into all queues before it halts, and
takes a waiting task over (``pull``). If a task is woken for a busy CPU while another CPU halts, the
waker wakes that other CPU, which will pull.

A task's slice is a time: ``schedule()`` notes when it ends, ``resched()`` compares it with the
clock. The queue is a ring then: first come, first served, each for a slice at most.

Invariants. A task is on a run queue, or runs, or sleeps (``active`` is 0), never two of these.
``cpu`` changes only under the lock of the queue that the task leaves. No CPU halts while a task
waits. Before it halts, a CPU marks itself idle and then looks into the queues. A CPU that appends a
task looks for idle CPUs afterwards, behind a fence.

Cost in line transfers. A task that sleeps and is woken on its own CPU by its own CPU: none. A
wake-up from another CPU moves the queue's line there and back, and the task's.

Against Linux 2.6.0. The O(1) scheduler has 140 priorities in two arrays; here all tasks are equal,
so there is one list. It balances by a timer's tick, every millisecond on an idle CPU; here the CPU
learns of it at once, so an idle CPU never lets a task wait (the later kernels' "nohz kick").
Wake-ups go to the last CPU, never to the waker's. Time slices end only at ``resched()``.
"""

from locksim.lang import *
from locksim.library.locks.ttas import TTASLock
from locksim.library.schedulers.interface import RUNNING, Scheduler, Task, TaskList

__all__ = ["PerCpuQueues"]


class RunQueue(Struct):
    """A CPU's runnable tasks. ``idle`` is 1 while the CPU halts or is about to."""

    lock = part(TTASLock)
    waiting = part(TaskList)
    slice_end = word()
    idle = word(padded=True)


class PerCpuQueues(Scheduler):
    """One run queue a CPU, wake-ups to the last CPU, idle CPUs pull (in the manner of Linux 2.6).

    Arguments:
        slice_ps: how long a task may run before resched() lets the next one go on.
    """

    slice_ps = param(100 * MS)
    queues = percpu(RunQueue)
    idlers = word(padded=True)

    def setup(self):
        yield from self.number_tasks()
        for t in range(n_cpus(), n_threads()):
            home = self.first_cpu(t)
            yield self.tasks[t].active.store(1)
            yield self.tasks[t].cpu.store(home)
            yield from self.queues[home].waiting.append(self.tasks[t])

    def put_aside(self, number):
        home = self.queues[self.first_cpu(number)]
        task = yield from home.waiting.take_out(number)
        yield task.active.store(0)

    # The idle threads

    def idle(self):
        while not (yield self.halted.load(ACQUIRE)):
            if (yield from self.pull()):
                yield from self.schedule()
            else:
                yield from self.rest()

    def rest(self):
        queue = self.queues[cpu()]
        yield queue.idle.store(1)
        yield self.idlers.fetch_add(1)
        if not (yield from self.pull()) and not (yield self.halted.load(ACQUIRE)):
            yield block()
        yield self.idlers.fetch_add(-1)
        yield queue.idle.store(0)

    def pull(self):
        # 1 if the own queue has a task now.
        me = cpu()
        for step in range(n_cpus()):
            victim = (me + step) % n_cpus()
            if (yield self.queues[victim].waiting.length.load(RELAXED)):
                if victim == me:
                    return 1
                if (yield from self.steal(victim)):
                    return 1
        return 0

    def steal(self, victim):
        queue = self.queues[victim]
        yield from queue.lock.acquire()
        task = yield from queue.waiting.take()
        if task:
            yield task.cpu.store(cpu(), RELAXED)
        yield from queue.lock.release()
        if not task:
            return 0
        mine = self.queues[cpu()]
        yield from mine.lock.acquire()
        yield from mine.waiting.append(task)
        yield from mine.lock.release()
        return 1

    def halt(self):
        yield self.halted.store(1)
        for other in range(n_cpus()):
            yield wake(other)

    # Tasks

    def begin(self):
        # A task's first call: it was switched to by a CPU that holds its queue's lock.
        yield from self.queues[cpu()].lock.release()

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
            yield queue.slice_end.store(now() + self.slice_ps, RELAXED)
        yield switch(number)
        yield from self.queues[cpu()].lock.release()

    def resched(self):
        # On the way back to user space.
        if now() >= (yield self.queues[cpu()].slice_end.load(RELAXED)):
            yield from self.schedule()

    def wake_up_process(self, task: Task):
        while True:
            home = yield task.cpu.load(ACQUIRE)
            queue = self.queues[home]
            yield from queue.lock.acquire()
            if (yield task.cpu.load(RELAXED)) == home:
                break
            yield from queue.lock.release()
        woken = 0
        if (yield task.state.load(RELAXED)) != RUNNING:
            yield task.state.store(RUNNING, RELAXED)
            if not (yield task.active.load(RELAXED)):
                yield task.active.store(1, RELAXED)
                yield from queue.waiting.append(task)
                woken = 1
        yield from queue.lock.release()
        if woken:
            yield from self.kick(home)
        return woken

    def kick(self, home):
        # An idle CPU for the task: its own, or any other.
        yield fence()
        if (yield self.idlers.load(RELAXED)):
            for step in range(n_cpus()):
                other = (home + step) % n_cpus()
                if (yield self.queues[other].idle.load(RELAXED)):
                    # Who gets the 1 wakes: two wakers wake two CPUs.
                    if (yield self.queues[other].idle.swap(0)):
                        yield wake(other)
                        return
