"""A sleeping semaphore: who finds it taken gives up the CPU and is woken in the order of arrival.

Mechanism. A spinlock guards the count and a list of sleepers. ``down`` takes one from the count, or
sets the task sleeping, appends it to the list and gives 0: the caller gives up its CPU and begins
again when it is woken. ``up`` adds one and gives the first sleeper, for the caller to wake.

Invariants. The count is never negative. Who sleeps is on the list, or is about to be woken: the
state is set to SLEEPING under the spinlock, so an ``up`` that comes later finds it.

Fairness. First come, first woken; but the semaphore is free from ``up`` on, so a task that is
running already may take it before the one that was woken gets a CPU. The late one sleeps again,
at the list's end.
"""

from locksim.lang import NULL, RELAXED, Struct, part, pointer, word
from locksim.locks.ttas import TTASLock
from locksim.schedulers.linux_2_4 import SLEEPING, Task

__all__ = ["Semaphore"]


class Semaphore(Struct):
    """A counting semaphore, at first 1 (down and up of Linux 2.4, in outline)."""

    lock = part(TTASLock)
    count = word(1)
    first = pointer(Task)
    last = pointer(Task)

    def down(self, task: Task):
        yield from self.lock.acquire()
        count = yield self.count.load(RELAXED)
        if count:
            yield self.count.store(count - 1, RELAXED)
        else:
            yield task.state.store(SLEEPING, RELAXED)
            yield task.wait_next.store(NULL, RELAXED)
            if (yield self.first.load(RELAXED)):
                last = yield self.last.load(RELAXED)
                yield last.wait_next.store(task, RELAXED)
            else:
                yield self.first.store(task, RELAXED)
            yield self.last.store(task, RELAXED)
        yield from self.lock.release()
        return count

    def up(self):
        yield from self.lock.acquire()
        count = yield self.count.load(RELAXED)
        yield self.count.store(count + 1, RELAXED)
        sleeper = yield self.first.load(RELAXED)
        if sleeper:
            after = yield sleeper.wait_next.load(RELAXED)
            yield self.first.store(after, RELAXED)
        yield from self.lock.release()
        return sleeper
