"""System V semaphores as in Linux 2.4 (ipc/sem.c): a task that finds one at 0 sleeps.

Mechanism. These have no wait queue. A task that has to wait appends an entry to the semaphore's
list, sets its state and gives up the CPU (``sys_semop``). A task that adds a unit walks the list
(``update_queue``) to the first entry without the mark TOLD, wakes its task, and marks the entry: no
second wake-up goes to it. The woken task tries for itself, takes its entry off when it has got its
unit, and then walks the list too. One lock guards all semaphores of the system (``sem_lock``,
ipc/util.h).

Invariants. The count is never negative. While it is not 0, an entry on the list is marked TOLD, or
the list is empty: each change of the count ends with a walk.

Fairness. First come, first woken. But the count is there from ``up`` on, so a task that is running
already may take it before the woken one gets a CPU. The woken one keeps its place.

Not modelled. Operations on several semaphores of a set, undo, waiting for 0.
"""

from locksim.lang import *
from locksim.library.schedulers.interface import INTERRUPTIBLE, WaitList

__all__ = ["Semaphore", "SemaphoreCalls"]

TOLD = 1


class Semaphore(Struct):
    """A count, and the tasks that wait for it to rise; ``flags`` of an entry is TOLD or 0."""

    count = word()
    pending = part(WaitList)


class SemaphoreCalls(Struct):
    """The calls of a kernel with semaphores, a lock for all of them, and a scheduler.

    The fields are the kernel's: ``scheduler``, ``semaphores``, ``semaphores_lock``, ``entry_ps``
    and ``semop_ps``, and ``leave()`` is its way back to user space.
    """

    # For a workload's setup, and what its task does first: it was asleep when the run began

    def begin_in_down(self, task, number):
        yield from self.scheduler.begin_asleep(task, self.semaphores[number].pending)

    def woken_in_down(self, number):
        mine = self.scheduler.tasks[thread()].waits[0]
        yield from self.semaphores_lock.acquire()
        yield from self.semaphores[number].pending.remove(mine)
        yield from self.semaphores_lock.release()

    def up(self, number):
        semaphore = self.semaphores[number]
        yield compute(self.entry_ps + self.semop_ps)
        yield from self.semaphores_lock.acquire()
        count = yield semaphore.count.load(RELAXED)
        yield semaphore.count.store(count + 1, RELAXED)
        yield from self.update_queue(number)
        yield from self.semaphores_lock.release()
        yield from self.leave()

    def down(self, number):
        semaphore = self.semaphores[number]
        me = self.scheduler.tasks[thread()]
        waited = 0
        yield compute(self.entry_ps + self.semop_ps)
        yield from self.semaphores_lock.acquire()
        while not (yield semaphore.count.load(RELAXED)):
            if not waited:
                yield from semaphore.pending.append(me.waits[0])
            waited = 1
            yield me.waits[0].flags.store(0, RELAXED)
            yield me.state.store(INTERRUPTIBLE, RELAXED)
            yield from self.semaphores_lock.release()
            yield from self.scheduler.schedule()
            yield from self.semaphores_lock.acquire()
        count = yield semaphore.count.load(RELAXED)
        yield semaphore.count.store(count - 1, RELAXED)
        if waited:
            yield from semaphore.pending.remove(me.waits[0])
        yield from self.update_queue(number)
        yield from self.semaphores_lock.release()
        yield from self.leave()

    def update_queue(self, number):
        # The first that has not been woken yet, if there is a unit to be had.
        semaphore = self.semaphores[number]
        if (yield semaphore.count.load(RELAXED)):
            entry = yield semaphore.pending.first.load(RELAXED)
            while entry:
                if not (yield entry.flags.load(RELAXED)):
                    task = yield entry.task.load(RELAXED)
                    yield from self.scheduler.wake_up_process(task)
                    yield entry.flags.store(TOLD, RELAXED)
                    return
                entry = yield entry.next.load(RELAXED)
