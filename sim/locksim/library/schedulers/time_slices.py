"""Time slices: one queue of runnable tasks, and a timer that takes the CPU from the one that runs.

Mechanism. Each CPU's idle thread is its *dispatcher*. It takes the task that has waited longest
from the run queue, sets the CPU's timer to the end of its slice, and switches to it. It goes on
when the task gives up the CPU, or when the timer takes it. A task that is still RUNNING then joins
the queue's end. So N tasks on fewer CPUs run in turns of one slice each, and a task may lose its
CPU anywhere in user space: while it holds a lock, too.

In the kernel no task is interrupted. A task enters it by ``enter()`` and goes back to user space by
``leave()``, as a system call does. Every task begins in the kernel. One that never calls ``leave``
keeps its CPU until it sleeps, or calls ``resched()`` after its slice is over.

``modes[t].on_cpu`` is 1 while a CPU runs task t: what a waiter may look at that spins only as long
as the holder makes progress.

The slice. 3 ms is what Linux gives by default on machines of 8 CPUs and more:
``sysctl_sched_base_slice``, once ``sysctl_sched_min_granularity``, is 0.75 ms (0.7 in later
kernels) times 1 + log2 of the CPUs, of at most 8 of them (kernel/sched/fair.c). A workload may
write another time into ``slice_ps`` in its setup.

Invariants. A task is on the run queue, or runs, or sleeps (``active`` is 0), never two of these.
The run queue's lock is taken by dispatchers and in the kernel only, so its holder keeps its CPU. No
CPU halts while a task waits: before it halts, a CPU marks itself idle and looks once more; who
appends a task looks for idle CPUs afterwards, behind a fence.

Cost. A change of tasks is two switches, to the dispatcher and on from it. The queue's line and the
tasks' move to the CPU that dispatches. A wake-up takes the run queue's lock, and wakes a CPU that
halts, if there is one.

Against Linux. There each CPU has a queue of its own, tasks have weights, and a task that wakes may
preempt one that has run for longer. The tick comes at a fixed rate and is taken in the kernel too,
where it marks the task. Here a slice ends on time, or on the way back to user space.

Source: the dispatcher is that of xv6 (Cox, Kaashoek and Morris, ``scheduler`` and ``sched`` in
kernel/proc.c).
"""

from locksim.lang import *
from locksim.library.locks.ttas import TTASLock
from locksim.library.schedulers.interface import RUNNING, SLEEPING, Scheduler, Task, TaskList

__all__ = ["TimeSlices"]


class Mode(Struct):
    """A task may lose its CPU where ``in_kernel`` is 0; ``on_cpu`` is 1 while it has one."""

    on_cpu = word()
    in_kernel = word(1)


class Dispatcher(Struct):
    """A CPU's: when the slice of its task ends, and whether it halts or is about to."""

    slice_end = word()
    idle = word(padded=True)


class TimeSlices(Scheduler):
    """One run queue, and time slices that end anywhere in user space (round robin, as in xv6)."""

    modes = perthread(Mode)
    slice_ps = word(3 * MS, padded=True)
    lock = part(TTASLock, padded=True)
    runnable = part(TaskList)
    cpus = percpu(Dispatcher)
    idlers = word(padded=True)

    def setup(self):
        yield from self.number_tasks()
        for t in range(n_cpus(), n_threads()):
            yield self.tasks[t].active.store(1)
            yield from self.runnable.append(self.tasks[t])

    def put_aside(self, number):
        task = yield from self.runnable.take_out(number)
        yield task.active.store(0)

    # The idle threads

    def idle(self):
        while not (yield self.halted.load(ACQUIRE)):
            task = NULL
            if (yield self.runnable.first.load(RELAXED)):
                yield from self.lock.acquire()
                task = yield from self.runnable.take()
                yield from self.lock.release()
            if task:
                yield from self.dispatch(task)
            else:
                yield from self.rest()

    def dispatch(self, task: Task):
        number = yield task.number.load(RELAXED)
        yield task.cpu.store(cpu(), RELAXED)
        yield self.modes[number].on_cpu.store(1, RELAXED)
        end = now() + (yield self.slice_ps.load(RELAXED))
        yield self.cpus[cpu()].slice_end.store(end, RELAXED)
        if not (yield self.modes[number].in_kernel.load(RELAXED)):
            yield timer(end)
        yield switch(number)
        yield self.modes[number].on_cpu.store(0, RELAXED)
        yield from self.lock.acquire()
        if (yield task.state.load(RELAXED)) == RUNNING:
            yield from self.runnable.append(task)
        else:
            yield task.active.store(0, RELAXED)
        yield from self.lock.release()

    def rest(self):
        mine = self.cpus[cpu()]
        yield mine.idle.store(1)
        yield self.idlers.fetch_add(1)
        if not (yield self.runnable.first.load()) and not (yield self.halted.load(ACQUIRE)):
            yield block()
        yield self.idlers.fetch_add(-1)
        yield mine.idle.store(0)

    def halt(self):
        yield self.halted.store(1)
        for other in range(n_cpus()):
            yield wake(other)

    # Tasks

    def begin(self):
        # Nothing is to be done: the first instructions of a task are the kernel's.
        yield pause()

    def enter(self):
        """Enter the kernel: from here on the task keeps its CPU."""
        yield timer(0)
        yield self.modes[thread()].in_kernel.store(1, RELAXED)

    def leave(self):
        """Go back to user space: the CPU is lost at the end of the slice, or now if it is over."""
        yield self.modes[thread()].in_kernel.store(0, RELAXED)
        end = yield self.cpus[cpu()].slice_end.load(RELAXED)
        yield timer(end)

    def schedule(self):
        # In the kernel.
        yield switch(cpu())

    def end(self):
        # Who wakes writes RUNNING under the lock: not over this (Linux' set_special_state).
        yield from self.lock.acquire()
        yield from super().end()
        yield from self.lock.release()

    def resched(self):
        if now() >= (yield self.cpus[cpu()].slice_end.load(RELAXED)):
            yield from self.schedule()

    def wake_up_process(self, task: Task):
        # In the kernel.
        woken = 0
        yield from self.lock.acquire()
        if (yield task.state.load(RELAXED)) & SLEEPING:
            yield task.state.store(RUNNING, RELAXED)
            if not (yield task.active.load(RELAXED)):
                yield task.active.store(1, RELAXED)
                yield from self.runnable.append(task)
                woken = 1
        yield from self.lock.release()
        if woken:
            yield from self.kick()
        return woken

    def kick(self):
        # An idle CPU for the task.
        yield fence()
        if (yield self.idlers.load(RELAXED)):
            for other in range(n_cpus()):
                if (yield self.cpus[other].idle.load(RELAXED)):
                    # Who gets the 1 wakes: two wakers wake two CPUs.
                    if (yield self.cpus[other].idle.swap(0)):
                        yield wake(other)
                        return
