"""Two parts of a kernel for you to write: replace the `yield pause()` lines.

Split is a cache of decisions in parts. Queues is a scheduler with a run queue for each CPU; two of
its methods are missing. Try: locklab lab check
"""

from locksim.lang import (
    ACQUIRE,
    RELAXED,
    RELEASE,
    DecisionCache,
    Struct,
    array,
    block,
    cpu,
    fence,
    n_cpus,
    n_threads,
    param,
    part,
    pause,
    percpu,
    switch,
    thread,
    wake,
    word,
)
from locksim.library.avc.decisions_spinlock import DecisionsSpinlock
from locksim.library.locks.ttas import TTASLock
from locksim.library.schedulers.interface import RUNNING, Scheduler, Task, TaskList


class Split(DecisionCache):
    """The cache in parts, each with a lock of its own; a key belongs to one part."""

    ways = param(8)
    parts = array("ways", DecisionsSpinlock, padded=True)

    def lookup(self, key):
        yield pause()
        return 0

    def replace(self, key, allowed, audit):
        yield pause()

    def reclaim(self):
        yield pause()
        return 0

    def way_of(self, key):
        return 0  # the part to which a key belongs, from 0 to ways - 1

    def quiescent(self):  # given, as is the next: they matter for RCU only
        yield pause()

    def offline(self):
        yield pause()


class RunQueue(Struct):
    """The tasks that wait for one CPU. `idle` is 1 while the CPU halts or is about to."""

    lock = part(TTASLock)
    waiting = part(TaskList)
    idle = word(padded=True)


class Queues(Scheduler):
    """A run queue for each CPU; a CPU without a task takes one over from another queue."""

    queues = percpu(RunQueue)
    idlers = word(padded=True)

    # Yours

    def wake_up_process(self, task: Task):
        """Make a task runnable; 1 if it is back on a run queue by that."""
        yield pause()
        return 0

    def steal(self, victim):
        """Move a task from the queue of another CPU to the own one; 1 if there was one."""
        yield pause()
        return 0

    # Given: a CPU changes tasks

    def schedule(self):
        queue = self.queues[cpu()]
        yield from queue.lock.acquire()
        if thread() >= n_cpus():  # a task, not the CPU's idle thread
            me = self.tasks[thread()]
            if (yield me.state.load(RELAXED)) == RUNNING:
                yield from queue.waiting.append(me)
            else:
                yield me.active.store(0, RELAXED)
        following = cpu()  # the idle thread, if no task waits
        task = yield from queue.waiting.take()
        if task:
            following = yield task.number.load(RELAXED)
        # The lock is held across the switch, and whoever runs next releases it.
        yield switch(following)
        yield from self.queues[cpu()].lock.release()

    def begin(self):
        yield from self.queues[cpu()].lock.release()

    def resched(self):
        yield fence(RELEASE)  # a task keeps its CPU until it sleeps

    # Given: a CPU without a task

    def idle(self):
        while not (yield self.halted.load(ACQUIRE)):
            if (yield from self.pull()):
                yield from self.schedule()
            else:
                yield from self.rest()

    def pull(self):
        # Looks into all queues, its own first; 1 if its own has a task now.
        for step in range(n_cpus()):
            victim = (cpu() + step) % n_cpus()
            if (yield self.queues[victim].waiting.length.load(RELAXED)):
                if victim == cpu():
                    return 1
                if (yield from self.steal(victim)):
                    return 1
        return 0

    def rest(self):
        # Marked as idle first, then one more look: who appends a task looks for idle CPUs later.
        yield self.queues[cpu()].idle.store(1)
        yield self.idlers.fetch_add(1)
        if not (yield from self.pull()) and not (yield self.halted.load(ACQUIRE)):
            yield block()
        yield self.idlers.fetch_add(-1)
        yield self.queues[cpu()].idle.store(0)

    def kick(self, home):
        # Wakes an idle CPU for a task on the queue of `home`: that CPU, or another one.
        yield fence()
        if (yield self.idlers.load(RELAXED)):
            for step in range(n_cpus()):
                other = (home + step) % n_cpus()
                if (yield self.queues[other].idle.load(RELAXED)):
                    # Whoever gets the 1 wakes: two wakers wake two CPUs.
                    if (yield self.queues[other].idle.swap(0)):
                        yield wake(other)
                        return

    def halt(self):
        yield self.halted.store(1)
        for other in range(n_cpus()):
            yield wake(other)

    # Given: before the run begins

    def setup(self):
        yield from self.number_tasks()
        for t in range(n_cpus(), n_threads()):
            home = self.first_cpu(t)
            yield self.tasks[t].active.store(1)
            yield self.tasks[t].cpu.store(home)
            yield from self.queues[home].waiting.append(self.tasks[t])

    def put_aside(self, number):
        home = self.queues[self.first_cpu(number)]
        task = yield from home.waiting.take()
        while (yield task.number.load()) != number:
            yield from home.waiting.append(task)
            task = yield from home.waiting.take()
        yield task.active.store(0)
