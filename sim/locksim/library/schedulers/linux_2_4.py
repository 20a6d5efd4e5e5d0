"""The scheduler of Linux 2.4: one run queue, one lock, and a look at every runnable task.

Mechanism. All runnable tasks, the running ones included, hang on one list under ``runqueue_lock``.
``schedule()`` walks the whole list and takes the task with the greatest *goodness*: its remaining
ticks, plus 20 less its nice value, plus 1 if it shares the address space of the task before, plus
15 if it ran on this CPU last. Tasks without ticks weigh nothing; when only such are left, every
task in the system gets new ticks. ``wake_up_process`` puts a task at the head of the list and looks
for a CPU that should run it (``reschedule_idle``): the one where it ran last if that is idle,
another idle one, or one whose task weighs less. A CPU learns of it from ``need_resched``, which it
reads on its way back to user space (``resched``); an idle one halts and is sent an interrupt.
Nothing is preempted inside the kernel.

The order inside ``schedule()`` is the kernel's. The lock is let go before the switch, so ``prev``
is off the CPU only when the next task has said so (``schedule_tail``): until then its mark HAS_CPU
keeps every CPU from running it. A waker that comes meanwhile puts it on the list and finds no CPU
for it, so ``schedule_tail`` looks for one.

What the walk reads of a task lies on one line of 32 bytes, as in 2.4's ``task_struct``. It was last
written by the CPU that ran the task, or by the tick. And it lies 32 bytes behind the head of two
pages, as all of them do: a cache of 2 MB in 8 ways has 32 places for such lines, of 8 lines each.
So the walk misses inside the lock. The time for which the lock is held grows with CPUs, and faster
than in proportion with runnable tasks. Which pages a task got is left to chance.

A tick takes one from the running task's counter. There is no interrupt here: a CPU reads the clock
on its way back to user space, and a tick that has passed counts then, against the task that runs
then.

Where tasks ran before the simulation begins (``first_cpu``) is unrelated to what they do.

The length of the queue is metered: each ``schedule()`` counts it on a line of its CPU's own.

Invariants. A task that is RUNNING and has left its CPU is on the list (``active`` is 1). A task
runs on one CPU at most: the one that set its HAS_CPU under the lock. No CPU halts after it was
asked to reschedule: ``need_resched`` is set before the interrupt is sent, which a CPU that is awake
keeps.

Under tso and weaker models a waker and the CPU that the task leaves can miss each other, in Linux
2.4 as here: the store of the state may still wait in the waker's buffer (docs/explain/checker.md).

Not modelled. Real-time classes, ``SCHED_YIELD``, affinity masks, the time of the last switch by
which 2.4 chooses among idle CPUs, the big kernel lock. And the interrupt to a busy CPU
(``smp_send_reschedule``): its handler does nothing, so a CPU that is in the kernel looks at
``need_resched`` when it would have, and one in user space looks at once. The engines have no such
interruption; what sending and taking it cost was published for no machine here.
"""

from locksim.lang import *
from locksim.library.locks.ttas import TTASLock
from locksim.library.schedulers.interface import RUNNING, Scheduler, Task

__all__ = ["LinuxTwoFour"]

HAS_CPU = 1
NICE_0 = 20
SAME_MM = 1
SAME_CPU = 15
TICKS = 6
NOTHING = -1000


class Weight(Struct):
    """What the walk reads of a task: one line of 32 bytes in 2.4. ``previous`` is on the next.

    ``placement`` is twice the CPU that it runs or ran on, plus HAS_CPU while it runs. ``next`` and
    ``previous`` are threads' numbers; 0 ends the list, since thread 0 is not a task.
    """

    counter = word(TICKS)
    placement = word()
    mm = word()
    next = word()
    previous = word()


class TaskStruct(Task):
    """The head of a task's two pages: the lines that the walk reads share few sets of a cache."""

    weight = part(Weight, padded=True)


class CpuState(Struct):
    """A CPU's task, the request to reschedule, its last tick, and the queue lengths that it saw.

    ``current`` is a thread's number, the CPU's own when it is idle; ``last`` ran before it.
    """

    current = word()
    need_resched = word()
    last = word()
    tick = word()
    looks = word()
    lengths = word()
    longest = word()


class LinuxTwoFour(Scheduler):
    """One run queue and an O(n) choice (Linux 2.4.3, kernel/sched.c).

    Arguments:
        weigh_ps: register work of weighing one task, in picoseconds.
        tick_ps: time between two ticks of a CPU.
    """

    MODELS = ("sc",)  # under tso a wake-up can be lost: docs/evidence/states.md
    weigh_ps = param(12 * NS)
    tick_ps = param(10 * MS)
    runqueue_lock = part(TTASLock, padded=True)
    first = word(padded=True)
    runnable = word()
    tasks = perthread(TaskStruct, align=8192, scattered=True)
    cpus = percpu(CpuState)

    def setup(self):
        yield from self.number_tasks()
        for i in range(n_cpus()):
            yield self.cpus[i].current.store(i)
        for t in range(n_cpus(), n_threads()):
            yield self.tasks[t].weight.placement.store(2 * self.first_cpu(t))
            yield from self.enqueue(t)

    def put_aside(self, number):
        yield from self.dequeue(number)

    def share_memory(self, number, space):
        yield self.tasks[number].weight.mm.store(space)

    # The idle threads

    def idle(self):
        while not (yield self.halted.load(ACQUIRE)):
            yield from self.schedule()
            yield from self.rest()

    def rest(self):
        me = cpu()
        while not (yield self.cpus[me].need_resched.load(ACQUIRE)):
            if (yield self.halted.load(ACQUIRE)):
                return
            yield block()

    def halt(self):
        yield self.halted.store(1)
        for other in range(n_cpus()):
            yield wake(other)

    # Tasks

    def begin(self):
        yield from self.schedule_tail()

    def resched(self):
        mine = self.cpus[cpu()]
        tick = now() // self.tick_ps
        if (yield mine.tick.load(RELAXED)) != tick:
            yield mine.tick.store(tick, RELAXED)
            counter = yield self.tasks[thread()].weight.counter.load(RELAXED)
            yield self.tasks[thread()].weight.counter.store(max(counter - 1, 0), RELAXED)
            if counter <= 1:
                yield mine.need_resched.store(1, RELAXED)
        if (yield mine.need_resched.load(RELAXED)):
            yield from self.schedule()

    def schedule(self):
        me = cpu()
        prev = thread()
        yield from self.runqueue_lock.acquire()
        yield self.cpus[me].need_resched.store(0, RELAXED)
        if prev >= n_cpus() and (yield self.tasks[prev].state.load(RELAXED)) != RUNNING:
            yield from self.dequeue(prev)
        yield from self.meter()
        chosen = yield from self.choose(prev)
        if chosen != prev:
            if chosen >= n_cpus():
                yield self.tasks[chosen].weight.placement.store(2 * me + HAS_CPU, RELAXED)
            yield self.cpus[me].current.store(chosen, RELAXED)
            yield self.cpus[me].last.store(prev, RELAXED)
        yield from self.runqueue_lock.release()
        if chosen != prev:
            yield switch(chosen)
            yield from self.schedule_tail()

    def schedule_tail(self):
        # Only now may another CPU take it. Who woke it before that saw it running.
        last = yield self.cpus[cpu()].last.load(RELAXED)
        if last >= n_cpus():
            placement = yield self.tasks[last].weight.placement.load(RELAXED)
            yield self.tasks[last].weight.placement.store(placement & ~HAS_CPU, RELEASE)
            yield fence()
            if (yield self.tasks[last].state.load(RELAXED)) == RUNNING:
                yield from self.runqueue_lock.acquire()
                if (yield self.tasks[last].state.load(RELAXED)) == RUNNING:
                    if not (yield self.tasks[last].weight.placement.load(RELAXED)) & HAS_CPU:
                        yield from self.reschedule_idle(last)
                yield from self.runqueue_lock.release()

    def wake_up_process(self, task: Task):
        number = yield task.number.load(RELAXED)
        yield from self.runqueue_lock.acquire()
        yield task.state.store(RUNNING, RELAXED)
        woken = not (yield task.active.load(RELAXED))
        if woken:
            yield from self.enqueue(number)
            yield from self.reschedule_idle(number)
        yield from self.runqueue_lock.release()
        return woken

    # The choice, under the lock

    def choose(self, prev):
        me = cpu()
        mm = yield self.tasks[prev].weight.mm.load(RELAXED)
        while True:
            chosen = me
            weight = NOTHING
            weighed = 0
            if prev >= n_cpus() and (yield self.tasks[prev].state.load(RELAXED)) == RUNNING:
                # The task that calls is the default.
                chosen = prev
                weighed = 1
                placement = yield self.tasks[prev].weight.placement.load(RELAXED)
                weight = yield from self.goodness(prev, placement, me, mm)
            number = yield self.first.load(RELAXED)
            while number:
                # Acquire: what the task did up to its switch comes before what it does here.
                placement = yield self.tasks[number].weight.placement.load(ACQUIRE)
                if not placement & HAS_CPU:
                    other = yield from self.goodness(number, placement, me, mm)
                    weighed = weighed + 1
                    if other > weight:
                        weight = other
                        chosen = number
                number = yield self.tasks[number].weight.next.load(RELAXED)
            yield compute(weighed * self.weigh_ps)
            if weight != 0:
                return chosen
            yield from self.recalculate()

    def goodness(self, number, placement, on, mm):
        # Its register work is counted by who asks.
        weight = yield self.tasks[number].weight.counter.load(RELAXED)
        if not weight:
            return 0
        weight = weight + NICE_0
        if placement // 2 == on:
            weight = weight + SAME_CPU
        if (yield self.tasks[number].weight.mm.load(RELAXED)) == mm:
            weight = weight + SAME_MM
        return weight

    def recalculate(self):
        # Every task gets new ticks, sleeping ones keep half of theirs. The lock is free meanwhile.
        yield from self.runqueue_lock.release()
        for t in range(n_cpus(), n_threads()):
            counter = yield self.tasks[t].weight.counter.load(RELAXED)
            yield self.tasks[t].weight.counter.store(counter // 2 + TICKS, RELAXED)
        yield from self.runqueue_lock.acquire()

    def reschedule_idle(self, number):
        home = yield self.tasks[number].weight.placement.load(RELAXED)
        if home & HAS_CPU:
            # It has not left its CPU yet: whoever runs there next will see to it.
            return
        home = home // 2
        if (yield self.cpus[home].current.load(RELAXED)) < n_cpus():
            yield from self.tell_idle(home)
            return
        target = NOTHING
        most = 1
        for other in range(n_cpus()):
            running = yield self.cpus[other].current.load(RELAXED)
            if running < n_cpus():
                # An idle CPU that has been signalled already is as good as busy.
                if not (yield self.cpus[other].need_resched.load(RELAXED)):
                    yield from self.tell_idle(other)
                    return
            else:
                mm = yield self.tasks[running].weight.mm.load(RELAXED)
                placement = yield self.tasks[running].weight.placement.load(RELAXED)
                gain = yield from self.goodness(number, 2 * home, other, mm)
                gain = gain - (yield from self.goodness(running, placement, other, mm))
                yield compute(2 * self.weigh_ps)
                if gain > most:
                    most = gain
                    target = other
        if target != NOTHING:
            yield self.cpus[target].need_resched.store(1, RELEASE)

    def tell_idle(self, other):
        if not (yield self.cpus[other].need_resched.swap(1)):
            yield wake(other)

    def enqueue(self, number):
        first = yield self.first.load(RELAXED)
        yield self.tasks[number].weight.next.store(first, RELAXED)
        yield self.tasks[number].weight.previous.store(0, RELAXED)
        if first:
            yield self.tasks[first].weight.previous.store(number, RELAXED)
        yield self.first.store(number, RELAXED)
        yield self.tasks[number].active.store(1, RELAXED)
        runnable = yield self.runnable.load(RELAXED)
        yield self.runnable.store(runnable + 1, RELAXED)

    def dequeue(self, number):
        after = yield self.tasks[number].weight.next.load(RELAXED)
        before = yield self.tasks[number].weight.previous.load(RELAXED)
        if before:
            yield self.tasks[before].weight.next.store(after, RELAXED)
        else:
            yield self.first.store(after, RELAXED)
        if after:
            yield self.tasks[after].weight.previous.store(before, RELAXED)
        yield self.tasks[number].active.store(0, RELAXED)
        runnable = yield self.runnable.load(RELAXED)
        yield self.runnable.store(runnable - 1, RELAXED)

    def meter(self):
        mine = self.cpus[cpu()]
        runnable = yield self.runnable.load(RELAXED)
        looks = yield mine.looks.load(RELAXED)
        yield mine.looks.store(looks + 1, RELAXED)
        lengths = yield mine.lengths.load(RELAXED)
        yield mine.lengths.store(lengths + runnable, RELAXED)
        if runnable > (yield mine.longest.load(RELAXED)):
            yield mine.longest.store(runnable, RELAXED)
