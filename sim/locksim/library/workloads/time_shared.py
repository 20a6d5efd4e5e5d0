"""More tasks than CPUs take one lock in user space, and lose their CPUs wherever a slice ends.

A program with more threads than CPUs, or one beside others. Each task thinks, takes the lock, works
with it and gives it back, again and again. The scheduler takes its CPU away when its slice is over:
between two sections, while it waits for the lock, and while it holds it. A thread that spins for a
lock whose holder has no CPU spins until its own slice ends; one that sleeps leaves its CPU to
another task. One unit of work is one critical section.

``TimeShared`` takes any lock that spins. ``TimeSharedSleepers`` takes a futex mutex whose waiters
give up their CPUs, and ``TimeSharedMutex`` Linux's mutex, whose waiters do so when the owner has no
CPU; both say to the lock which scheduler is the tasks'.
"""

from locksim.lang import *
from locksim.library.kernel.task_futex import TaskFutexMutex
from locksim.library.kernel.task_mutex import TaskMutex
from locksim.library.locks.ttas import TTASLock
from locksim.library.schedulers.time_slices import TimeSlices

__all__ = ["TimeShared", "TimeSharedMutex", "TimeSharedSleepers"]


class TimeShared(Workload):
    """Tasks on fewer CPUs, and one lock.

    Arguments:
        tasks: how many. hold_ps: work under the lock. think_ps: mean work between two sections.
        slice_ps: how long a task keeps its CPU in user space while others wait.
        kept: 1: no task loses its CPU from before it takes the lock until it has given it back, as
            with a kernel's spinlocks.
        sections: critical sections after which a task ends; 0: never.
    """

    tasks = param(16)
    hold_ps = param(1000 * NS)
    think_ps = param(10 * US)
    slice_ps = param(3 * MS)
    kept = param(0)
    sections = param(0)
    scheduler = part(TimeSlices, padded=True)
    lock = part(TTASLock, padded=True)
    count = word(padded=True)

    def setup(self):
        assert self.tasks > 0
        yield self.scheduler.slice_ps.store(self.slice_ps)

    def thread(self):
        yield from self.scheduler.idle()

    def task(self):
        yield from self.scheduler.begin()
        yield from self.scheduler.leave()
        n = 0
        while not self.sections or n < self.sections:
            yield compute(random_below(2 * self.think_ps + 1))
            if self.kept:
                yield from self.scheduler.enter()
                yield from self.section()
                yield from self.scheduler.leave()
            else:
                yield from self.section()
            yield done()
            n = n + 1
        yield from self.scheduler.enter()
        yield from self.scheduler.exit()

    def section(self):
        yield from self.lock.acquire()
        count = yield self.count.load(RELAXED)
        yield self.count.store(count + 1, RELAXED)
        yield compute(self.hold_ps)
        yield from self.lock.release()


class TimeSharedSleepers(TimeShared):
    """The same with a lock whose waiters sleep."""

    lock = part(TaskFutexMutex, padded=True)

    def setup(self):
        yield from super().setup()
        yield self.lock.futex.scheduler.store(self.scheduler)


class TimeSharedMutex(TimeShared):
    """The same with Linux's mutex."""

    lock = part(TaskMutex, padded=True)

    def setup(self):
        yield from super().setup()
        yield from self.lock.belong(self.scheduler)
