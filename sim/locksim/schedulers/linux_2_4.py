"""The scheduler of Linux 2.4: one run queue, one lock, and a look at every runnable task.

Mechanism. All runnable tasks, the running ones included, hang on one list under ``runqueue_lock``.
``schedule()`` walks the whole list and takes the task with the greatest *goodness*: its remaining
ticks, plus 20 less its nice value, plus 1 if it shares the address space of the task before, plus
15 if it ran on this CPU last. Tasks without ticks weigh nothing; when only such are left, every
task in the system gets new ticks. ``wake_up`` puts a task at the head of the list and looks for a
CPU that should run it: an idle one, or one whose task weighs less (``reschedule_idle``). A CPU
learns of it from ``need_resched``, which it reads on its way back to user space; nothing is
preempted inside the kernel.

What the walk reads of a task lies on one line of 32 bytes, as in 2.4's ``task_struct``. It was last
written by the CPU that ran the task, or by the tick: the walk misses on most of them, inside the
lock, so the lock is held for a time that grows with runnable tasks and with CPUs.

A task is data here, not a stack: a program whose system calls can be begun again needs no registers
kept. The CPU calls ``schedule(prev)``, gets the task to run, and runs it until it has to wait (the
task has set its state to SLEEPING) or ``need_resched`` is set; then it calls ``schedule`` again.

Invariants. A task's state is set to SLEEPING before it lets go of the lock that guards what it
waits for, so whoever changes that sees it and wakes it: no wake-up is lost. A task runs on one CPU
at most: the one that set ``has_cpu`` under the queue's lock. It is on exactly one queue while it is
runnable or running.

Per-CPU queues (``per_cpu = 1``) are the what-if: each CPU has a queue and a lock of its own, walks
that, and looks into the others' only when its own has nothing. So IBM's multi-queue patch of 2001
did it, and 2.6 in its way. A queue's tasks are those whose ``processor`` is that CPU.

Not modelled. Real-time classes, ``SCHED_YIELD``, affinity masks, the time of the last switch by
which 2.4 chooses among idle CPUs, the big kernel lock. An idle CPU polls ``need_resched`` and so
needs no interrupt to wake up. Ticks come by chance, once in so many system calls (``tick``).
"""

from locksim.lang import (
    ACQUIRE,
    NS,
    NULL,
    RELAXED,
    RELEASE,
    Struct,
    compute,
    cpu,
    fence,
    n_cpus,
    param,
    part,
    pause,
    percpu,
    pointer,
    random_below,
    word,
)
from locksim.locks.ttas import TTASLock

__all__ = ["LinuxTwoFour", "Task"]

RUNNING = 0
SLEEPING = 1
HAS_CPU = 1
NICE_0 = 20
SAME_MM = 1
SAME_CPU = 15
TICKS = 6
NOTHING = -1000


class Goodness(Struct):
    """What the walk reads of a task: one line of 32 bytes in 2.4.

    ``placement`` is twice the CPU that it runs or ran on, plus 1 while it runs.
    """

    counter = word(TICKS)
    placement = word()
    mm = word()
    next = pointer("Task")


class Task(Struct):
    """A thread, as the scheduler and what it waits for see it (struct task_struct)."""

    state = word()
    queued = word()
    prev = pointer("Task")
    wait_next = pointer("Task")
    goodness = part(Goodness, padded=True)
    number = word()
    progress = word()
    all_next = pointer("Task")


class RunQueue(Struct):
    """A list of runnable tasks and its lock."""

    lock = part(TTASLock)
    head = pointer(Task)
    running = word()


class CpuState(Struct):
    """What other CPUs look at when they look for one: its task (NULL: idle), and their request."""

    current = pointer(Task)
    need_resched = word()


class LinuxTwoFour(Struct):
    """One run queue and an O(n) choice (Linux 2.4.3, kernel/sched.c).

    Arguments:
        per_cpu: 1 gives each CPU a queue of its own (what-if), 0 is 2.4.
        weigh_ps: register work of weighing one task, in picoseconds.
        switch_ps: what a switch costs beside the choice: stack, address space, cold caches.
        tick_calls: system calls in the 10 ms between two ticks.
    """

    per_cpu = param(0)
    weigh_ps = param(20 * NS)
    switch_ps = param(2500 * NS)
    tick_calls = param(2000)
    queues = percpu(RunQueue)
    cpus = percpu(CpuState)
    all_tasks = pointer(Task, padded=True)
    halted = word(padded=True)

    def add(self, task: Task, number, mm, home):
        # For setup: a new task, runnable.
        first = yield self.all_tasks.load(RELAXED)
        yield task.all_next.store(first, RELAXED)
        yield self.all_tasks.store(task, RELAXED)
        yield task.number.store(number, RELAXED)
        yield task.goodness.mm.store(mm, RELAXED)
        yield task.goodness.placement.store(2 * home, RELAXED)
        yield from self.enqueue(task)

    def queue_of(self, processor):
        return processor * self.per_cpu

    def schedule(self, prev: Task):
        last = prev
        while True:
            chosen = yield from self.choose(last)
            if chosen == last and chosen:
                return chosen
            if chosen:
                yield compute(self.switch_ps)
            if last:
                yield from self.schedule_tail(last)
            if chosen:
                return chosen
            if (yield self.halted.load(RELAXED)):
                return NULL
            last = NULL  # type: ignore[assignment]
            while not (yield self.cpus[cpu()].need_resched.load(ACQUIRE)):
                yield pause()

    def halt(self):
        # Every CPU leaves schedule() with NULL once it has nothing to run.
        yield self.halted.store(1, RELEASE)
        for i in range(n_cpus()):
            yield self.cpus[i].need_resched.store(1, RELEASE)

    def choose(self, prev: Task):
        me = cpu()
        mm = 0
        if prev:
            mm = yield prev.goodness.mm.load(RELAXED)
        mine = self.queue_of(me)
        yield from self.queues[mine].lock.acquire()
        yield self.cpus[me].need_resched.store(0, RELAXED)
        if prev and (yield prev.state.load(RELAXED)) != RUNNING:
            yield from self.dequeue(prev)
        chosen = yield from self.best(prev, mine, mm)
        if chosen:
            yield from self.claim(chosen)
        yield self.cpus[me].current.store(chosen, RELAXED)
        yield from self.queues[mine].lock.release()
        if self.per_cpu and not chosen:
            chosen = yield from self.steal(mm)
        return chosen

    def best(self, prev: Task, queue, mm):
        while True:
            chosen = NULL
            weight = NOTHING
            if prev and (yield prev.queued.load(RELAXED)):
                # The task that calls is the default.
                chosen = prev  # type: ignore[assignment]
                weight = yield from self.weigh(prev, cpu(), mm)
            task = yield self.queues[queue].head.load(RELAXED)
            while task:
                placement = yield task.goodness.placement.load(RELAXED)
                if not placement & HAS_CPU:
                    other = yield from self.weigh(task, cpu(), mm)
                    if other > weight:
                        weight = other
                        chosen = task
                task = yield task.goodness.next.load(RELAXED)
            if weight != 0:
                return chosen
            yield from self.recalculate(queue)

    def weigh(self, task: Task, on, mm):
        yield compute(self.weigh_ps)
        weight = yield task.goodness.counter.load(RELAXED)
        if not weight:
            return 0
        weight = weight + NICE_0
        if (yield task.goodness.placement.load(RELAXED)) // 2 == on:
            weight = weight + SAME_CPU
        if (yield task.goodness.mm.load(RELAXED)) == mm:
            weight = weight + SAME_MM
        return weight

    def recalculate(self, queue):
        # Every task gets new ticks, sleeping ones keep half of theirs. The lock is free meanwhile.
        yield from self.queues[queue].lock.release()
        task = yield self.all_tasks.load(RELAXED)
        while task:
            counter = yield task.goodness.counter.load(RELAXED)
            yield task.goodness.counter.store(counter // 2 + TICKS, RELAXED)
            task = yield task.all_next.load(RELAXED)
        yield from self.queues[queue].lock.acquire()

    def claim(self, task: Task):
        yield task.goodness.placement.store(2 * cpu() + HAS_CPU, RELAXED)

    def steal(self, mm):
        me = cpu()
        for step in range(1, n_cpus()):
            victim = (me + step) % n_cpus()
            if (yield self.queues[victim].running.load(RELAXED)) > 1:
                yield from self.queues[victim].lock.acquire()
                chosen = yield from self.best(NULL, victim, mm)
                if chosen:
                    yield from self.dequeue(chosen)
                    yield from self.claim(chosen)
                yield from self.queues[victim].lock.release()
                if chosen:
                    yield from self.queues[me].lock.acquire()
                    yield from self.enqueue(chosen)
                    yield self.cpus[me].current.store(chosen, RELAXED)
                    yield from self.queues[me].lock.release()
                    return chosen
        return NULL

    def schedule_tail(self, prev: Task):
        # Only now may another CPU take it. Who woke it before that saw it running.
        placement = yield prev.goodness.placement.load(RELAXED)
        yield prev.goodness.placement.store(placement & ~HAS_CPU, RELEASE)
        yield fence()
        if (yield prev.state.load(ACQUIRE)) == RUNNING:
            queue = self.queue_of(placement // 2)
            yield from self.queues[queue].lock.acquire()
            now = yield prev.goodness.placement.load(RELAXED)
            if (yield prev.queued.load(RELAXED)) and not now & HAS_CPU:
                yield from self.reschedule_idle(prev)
            yield from self.queues[queue].lock.release()

    def wake_up(self, task: Task):
        while True:
            home = (yield task.goodness.placement.load(ACQUIRE)) // 2
            queue = self.queue_of(home)
            yield from self.queues[queue].lock.acquire()
            if self.queue_of((yield task.goodness.placement.load(RELAXED)) // 2) == queue:
                break
            # It moved to another CPU's queue meanwhile.
            yield from self.queues[queue].lock.release()
        if (yield task.state.load(RELAXED)) != RUNNING:
            yield task.state.store(RUNNING, RELAXED)
            if not (yield task.queued.load(RELAXED)):
                yield from self.enqueue(task)
                yield from self.reschedule_idle(task)
        yield from self.queues[queue].lock.release()

    def reschedule_idle(self, task: Task):
        home = (yield task.goodness.placement.load(RELAXED)) // 2
        if not (yield self.cpus[home].current.load(RELAXED)):
            yield self.cpus[home].need_resched.store(1, RELEASE)
            return
        target = NOTHING
        most = 1
        for other in range(n_cpus()):
            running = yield self.cpus[other].current.load(RELAXED)
            if not running:
                # An idle CPU that has been told already is as good as busy.
                if not (yield self.cpus[other].need_resched.load(RELAXED)):
                    yield self.cpus[other].need_resched.store(1, RELEASE)
                    return
            elif not self.per_cpu or other == home:
                mm = yield running.goodness.mm.load(RELAXED)
                gain = yield from self.weigh(task, other, mm)
                gain = gain - (yield from self.weigh(running, other, mm))
                if gain > most:
                    most = gain
                    target = other
        if target != NOTHING:
            yield self.cpus[target].need_resched.store(1, RELEASE)

    def enqueue(self, task: Task):
        queue = self.queue_of((yield task.goodness.placement.load(RELAXED)) // 2)
        first = yield self.queues[queue].head.load(RELAXED)
        yield task.goodness.next.store(first, RELAXED)
        yield task.prev.store(NULL, RELAXED)
        if first:
            yield first.prev.store(task, RELAXED)
        yield self.queues[queue].head.store(task, RELAXED)
        yield task.queued.store(1, RELAXED)
        running = yield self.queues[queue].running.load(RELAXED)
        yield self.queues[queue].running.store(running + 1, RELAXED)

    def dequeue(self, task: Task):
        queue = self.queue_of((yield task.goodness.placement.load(RELAXED)) // 2)
        after = yield task.goodness.next.load(RELAXED)
        before = yield task.prev.load(RELAXED)
        if before:
            yield before.goodness.next.store(after, RELAXED)
        else:
            yield self.queues[queue].head.store(after, RELAXED)
        if after:
            yield after.prev.store(before, RELAXED)
        yield task.queued.store(0, RELAXED)
        running = yield self.queues[queue].running.load(RELAXED)
        yield self.queues[queue].running.store(running - 1, RELAXED)

    def tick(self, task: Task):
        # On the way back to user space: one call in so many finds that 10 ms have passed.
        if random_below(self.tick_calls) == 0:
            counter = yield task.goodness.counter.load(RELAXED)
            if counter > 1:
                yield task.goodness.counter.store(counter - 1, RELAXED)
            else:
                yield task.goodness.counter.store(0, RELAXED)
                yield self.cpus[cpu()].need_resched.store(1, RELAXED)

    def need_resched(self):
        return (yield self.cpus[cpu()].need_resched.load(RELAXED))
