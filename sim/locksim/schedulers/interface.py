"""What a scheduler offers to a workload, and how a thread waits: tasks, wait queues, the rules.

The engine knows one operation, ``switch``. Everything else is here, in programs that cost what
they cost. Threads 0 … N-1 are the CPUs' idle threads and run ``idle()``; the others are tasks. A
task begins with ``begin()`` and ends with ``exit()``. Between, it calls ``schedule()`` to give up
its CPU, ``resched()`` on its way back to user space, where its time slice may be over, and the
programs below to wait and to wake.

The rules of waiting, as in Linux's ``__wait_event_locked``. The wait queue's lock guards what is
waited for. Who waits holds it, and looks; if it has to wait, ``wait()`` sets its state to SLEEPING
and appends it *before* the lock is let go. Who makes the condition true holds the lock too, so it
either comes before the look, or finds the sleeper on the list: no wake-up is lost. ``wake_up``
after that, and before the sleeper has left its CPU, finds it SLEEPING and makes it RUNNING again;
``schedule()`` looks at the state under the run queue's lock and then keeps it.

    yield from box.queue.lock.acquire()
    while not (yield box.messages.load(RELAXED)):
        yield from self.scheduler.wait(box.queue)

Lock order: a wait queue's lock, then one run queue's.
"""

from locksim.lang import (
    NULL,
    RELAXED,
    RELEASE,
    Program,
    Struct,
    fence,
    n_cpus,
    n_threads,
    part,
    perthread,
    pointer,
    thread,
    word,
)
from locksim.locks.ttas import TTASLock

__all__ = ["RUNNING", "SLEEPING", "Scheduler", "Task", "TaskList", "WaitQueue"]

RUNNING = 0
SLEEPING = 1


class Task(Struct):
    """A thread as schedulers see it (Linux's task_struct).

    ``active`` is 1 while it runs or is on a run queue, ``cpu`` the CPU that it runs on or ran last.
    A task is on one list at most at any time by ``next``.
    """

    number = word()
    state = word()
    active = word()
    cpu = word()
    next = pointer("Task")


class TaskList(Struct):
    """Tasks in the order of their arrival. Whoever calls holds the lock that guards it."""

    first = pointer(Task)
    last = pointer(Task)
    length = word()

    def append(self, task: Task):
        yield task.next.store(NULL, RELAXED)
        last = yield self.last.load(RELAXED)
        if last:
            yield last.next.store(task, RELAXED)
        else:
            yield self.first.store(task, RELAXED)
        yield self.last.store(task, RELAXED)
        length = yield self.length.load(RELAXED)
        yield self.length.store(length + 1, RELAXED)

    def take(self):
        # The oldest, NULL if there is none.
        task = yield self.first.load(RELAXED)
        if task:
            after = yield task.next.load(RELAXED)
            yield self.first.store(after, RELAXED)
            if not after:
                yield self.last.store(NULL, RELAXED)
            length = yield self.length.load(RELAXED)
            yield self.length.store(length - 1, RELAXED)
        return task


class WaitQueue(Struct):
    """Who waits for something, and the lock that guards it (Linux's wait_queue_head)."""

    lock = part(TTASLock)
    sleepers = part(TaskList)


class Scheduler(Struct):
    """Base of all schedulers: tasks, and waiting. The others add idle, schedule, wake_up, resched.

    ``live`` counts the tasks that have not ended; when the last one ends, the CPUs stop.
    """

    tasks = perthread(Task)
    live = word(padded=True)
    halted = word(padded=True)

    def number_tasks(self):
        # For setup.
        for t in range(n_threads()):
            yield self.tasks[t].number.store(t)
        yield self.live.store(n_threads() - n_cpus())

    def first_cpu(self, number):
        # Where a task ran last before the simulation begins. Hashed, so that it says nothing of
        # what the task does: programs number their tasks by role.
        return (((number * 2654435769) & 4294967295) >> 16) % n_cpus()

    def share_memory(self, number: int, space: int) -> Program:
        """For a workload's setup: tasks with the same number of a space share it."""
        yield fence(RELEASE)

    def schedule(self) -> Program:
        """Give up the CPU; back when it is this task's turn, which is never while it sleeps."""
        raise NotImplementedError

    def wake_up(self, task: Task) -> Program:
        """Make a sleeping task runnable."""
        raise NotImplementedError

    def wait(self, queue: WaitQueue):
        # With the queue's lock held; it is held again when the caller has been woken.
        me = self.tasks[thread()]
        yield me.state.store(SLEEPING, RELAXED)
        yield from queue.sleepers.append(me)
        yield from queue.lock.release()
        yield from self.schedule()
        yield from queue.lock.acquire()

    def wake_one(self, queue: WaitQueue):
        # With the queue's lock held.
        task = yield from queue.sleepers.take()
        if task:
            yield from self.wake_up(task)

    def wake_all(self, queue: WaitQueue):
        # With the queue's lock held.
        while (yield queue.sleepers.first.load(RELAXED)):
            yield from self.wake_one(queue)

    def exit(self):
        # The task's last call: it does not come back.
        if (yield self.live.fetch_add(-1)) == 1:
            yield from self.halt()
        yield self.tasks[thread()].state.store(SLEEPING, RELAXED)
        yield from self.schedule()
