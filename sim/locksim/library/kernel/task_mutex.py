"""Linux's mutex for tasks that share CPUs, under the scheduler ``time_slices``.

Mechanism. As :mod:`locksim.library.locks.mutex`. But a task that sleeps gives up its CPU, and an
owner that does not run is one that has lost its CPU, or sleeps: ``modes[t].on_cpu`` of the
scheduler. Who waits keeps its CPU while it does so, as in the kernel, where preemption is off
there: the queue of spinners has a node for each CPU, and ``wait_lock`` is a spinlock. It stops
spinning when its slice is over (``need_resched``), and first lets the next task run. The critical
section itself can lose its CPU anywhere, as in a preemptible kernel. The workload's setup writes
which scheduler is the tasks'.

Invariant. A sleeper's state comes before its last look at ``owner``, and what its waker writes to
``owner`` before the wake-up. Each has a barrier behind it: a SEQ_CST store, and the run queue's
lock. So a wake-up finds the state, or the sleeper the mutex free or its own. If another task has
taken it, that one's ``release`` wakes the sleeper. (In the kernel the state is set before the try
under ``wait_lock``; here a second look, behind the state, stands for that.)

Cost. A sleep costs two switches, and a wake-up the run queue's lock; a CPU that halts is
interrupted.
"""

from locksim.lang import *
from locksim.library.locks.mutex import FLAGS, THREAD, LinuxMutex, Waiter
from locksim.library.locks.osq import OptimisticSpinQueue, SpinNode
from locksim.library.schedulers.interface import RUNNING, UNINTERRUPTIBLE
from locksim.library.schedulers.time_slices import TimeSlices

__all__ = ["TaskMutex", "TaskSpinQueue"]


class TaskSpinQueue(OptimisticSpinQueue):
    """The queue of spinners, which a task leaves when its slice is over."""

    scheduler = pointer(TimeSlices, padded=True)

    def wait(self, me: SpinNode):
        """Spin: 1 at the head, 0 when the slice is over."""
        scheduler = yield self.scheduler.load(RELAXED)
        end = yield scheduler.cpus[cpu()].slice_end.load(RELAXED)
        while not (yield me.locked.load(ACQUIRE)):
            if now() >= end:
                return 0
            yield pause()
        return 1


class TaskMutex(LinuxMutex):
    """The mutex of such tasks; a workload's ``setup`` says which scheduler is theirs."""

    queue = part(TaskSpinQueue)
    scheduler = pointer(TimeSlices, padded=True)

    def belong(self, scheduler: TimeSlices):
        """For a workload's setup."""
        yield self.scheduler.store(scheduler)
        yield self.queue.scheduler.store(scheduler)

    def acquire_slowly(self):
        scheduler = yield self.scheduler.load(RELAXED)
        yield from scheduler.enter()
        yield from super().acquire_slowly()
        yield from scheduler.leave()

    def release_slowly(self, value):
        scheduler = yield self.scheduler.load(RELAXED)
        yield from scheduler.enter()
        yield from super().release_slowly(value)
        yield from scheduler.leave()

    def spin(self, first):
        got = yield from super().spin(first)
        if not got:
            scheduler = yield self.scheduler.load(RELAXED)
            yield from scheduler.resched()
        return got

    def runs(self, holder):
        scheduler = yield self.scheduler.load(RELAXED)
        runs = yield scheduler.modes[holder // THREAD - 1].on_cpu.load(RELAXED)
        return runs

    def wait_for(self, holder):
        scheduler = yield self.scheduler.load(RELAXED)
        end = yield scheduler.cpus[cpu()].slice_end.load(RELAXED)
        on_cpu = scheduler.modes[holder // THREAD - 1].on_cpu
        while (yield self.owner.load(RELAXED)) & ~FLAGS == holder:
            if now() >= end or not (yield on_cpu.load(RELAXED)):
                return 0
            yield pause()
        return 1

    def sleep(self, me: Waiter):
        scheduler = yield self.scheduler.load(RELAXED)
        task = scheduler.tasks[thread()]
        # Behind a barrier: the state comes before the look, as the owner before the wake-up.
        yield task.state.store(UNINTERRUPTIBLE)
        holder = (yield self.owner.load(RELAXED)) & ~FLAGS
        if holder and holder != THREAD * (thread() + 1):
            yield from scheduler.schedule()
        yield task.state.store(RUNNING, RELAXED)

    def rouse(self, waiter: Waiter):
        scheduler = yield self.scheduler.load(RELAXED)
        number = yield waiter.number.load(RELAXED)
        yield from scheduler.wake_up_process(scheduler.tasks[number])
