"""The futex and its mutex for tasks that share CPUs, under the scheduler ``time_slices``.

Mechanism. As :mod:`locksim.library.locks.futex`, but a task that sleeps gives up its CPU, and
another one runs there. Its calls are in the kernel, where no slice ends: a task that lost its CPU
with the bucket's lock would let all others spin for it. Which scheduler is the tasks' is written by
the workload's setup.

Invariant. The sleeper's state comes before its last look at the mark, and the mark before the
wake-up. Each has a barrier behind it: a SEQ_CST store, and the run queue's lock. So a wake-up finds
the state, or the sleeper the mark.

Cost. A sleep costs two switches, and a wake-up the run queue's lock; a CPU that halts is
interrupted.

Proofs. Two tasks on two CPUs, and three on one where the holder may lose its CPU, are proven under
sc; two on two CPUs under tso too (``sim/tests/library/kernel/test_task_futex.py``).
"""

from locksim.lang import *
from locksim.library.locks.futex import Futex, FutexMutex, Sleeper
from locksim.library.schedulers.interface import RUNNING, UNINTERRUPTIBLE
from locksim.library.schedulers.time_slices import TimeSlices

__all__ = ["TaskFutex", "TaskFutexMutex"]


class TaskFutex(Futex):
    """The same for tasks; a workload's ``setup`` says which scheduler is theirs."""

    scheduler = pointer(TimeSlices, padded=True)

    def wait(self, expected):
        """Sleep until woken, if the word has the expected value; another task runs meanwhile."""
        scheduler = yield self.scheduler.load(RELAXED)
        yield from scheduler.enter()
        yield from super().wait(expected)
        yield from scheduler.leave()

    def wake(self):
        """Wake one sleeper, if there is one."""
        scheduler = yield self.scheduler.load(RELAXED)
        yield from scheduler.enter()
        yield from super().wake()
        yield from scheduler.leave()

    def sleep(self, me: Sleeper):
        scheduler = yield self.scheduler.load(RELAXED)
        task = scheduler.tasks[thread()]
        while True:
            # Behind a barrier: the state comes before the look, as the mark before the wake-up.
            yield task.state.store(UNINTERRUPTIBLE)
            if (yield me.woken.load(ACQUIRE)):
                break
            yield from scheduler.schedule()
        yield task.state.store(RUNNING, RELAXED)

    def rouse(self, sleeper: Sleeper):
        scheduler = yield self.scheduler.load(RELAXED)
        number = yield sleeper.number.load(RELAXED)
        yield sleeper.woken.store(1, RELEASE)
        yield from scheduler.wake_up_process(scheduler.tasks[number])


class TaskFutexMutex(FutexMutex):
    """The futex mutex of such tasks; see the workload ``time_shared``."""

    futex = part(TaskFutex, padded=True)
