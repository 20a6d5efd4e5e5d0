"""The interface of schedulers to workloads, and how a thread waits: tasks, wait queues, the rules.

The engine knows one operation, ``switch``. Everything else is here, in programs that cost what
they cost. Threads 0 … N-1 are the CPUs' idle threads and run ``idle()``; the others are tasks. A
task begins with ``begin()`` and ends with ``exit()``. Between, it calls ``schedule()`` to give up
its CPU, ``resched()`` on its way back to user space, where its time slice may be over, and the
programs below to wait and to wake.

**Wait queues** are Linux 2.4's (include/linux/wait.h; ``__wake_up_common`` in kernel/sched.c). A
task that waits puts an entry of its own on the queue, sets its state, and gives up the CPU. It
takes the entry off when it runs again. ``wake_up`` walks the queue under the queue's lock, and
changes nothing on it. It makes those runnable whose state it is asked for: all that did not ask to
be woken alone (their entries come first), and the first of those that did (exclusive ones, in the
order of their arrival). So a task that was woken and has no CPU yet is walked over again by each
wake-up until it runs: that costs the lines of its entry and of its state, and no run queue's lock.
A task has two entries, as it may be on two queues: a task that waits for a socket's data stays on
that queue while it waits to own the socket (``tcp_data_wait``).

The rules of waiting. Entry and state come *before* the last look at what is waited for: a wake-up
after that look finds both. So

    yield from self.scheduler.add_wait_queue(box.queue, me.waits[0])
    while True:
        yield me.state.store(INTERRUPTIBLE)
        if (yield box.messages.load()):
            break
        yield from self.scheduler.schedule()
    yield me.state.store(RUNNING)
    yield from self.scheduler.remove_wait_queue(box.queue, me.waits[0])

The store of the state is a full barrier (``set_current_state``), and so is the lock that
``wake_up`` takes: of two CPUs that each write and then read what the other wrote, one sees it.
Where a lock guards what is waited for, the look may come first: ``wait()`` has entry and state in
place before it releases the lock, and the task that makes the condition true holds that lock.

    yield from box.lock.acquire()
    while not (yield box.messages.load(RELAXED)):
        yield from self.scheduler.wait(box.queue, box.lock)

A wake-up that comes before the sleeper has left its CPU makes it RUNNING again; ``schedule()``
looks at the state under the run queue's lock and then keeps the CPU. A waiting task may be woken
for nothing (by a walk that read its earlier state); it looks again.

Lock order: what guards the condition, a wait queue's lock, then one run queue's.
"""

from locksim.lang import *
from locksim.library.locks.ttas import TTASLock

__all__ = [
    "INTERRUPTIBLE",
    "RUNNING",
    "SLEEPING",
    "UNINTERRUPTIBLE",
    "Scheduler",
    "Task",
    "TaskList",
    "WaitEntry",
    "WaitList",
    "WaitQueue",
]

RUNNING = 0
INTERRUPTIBLE = 1
UNINTERRUPTIBLE = 2
SLEEPING = INTERRUPTIBLE | UNINTERRUPTIBLE
ENDED = 4
EXCLUSIVE = 1


class WaitEntry(Struct):
    """A task's place on a wait queue (Linux's wait_queue_t): one line of the task's stack.

    ``flags`` is EXCLUSIVE for a task that is to be woken alone; other queues have marks of their
    own.
    """

    task = pointer("Task")
    flags = word()
    next = pointer("WaitEntry")
    previous = pointer("WaitEntry")


class Task(Struct):
    """A thread as schedulers see it (Linux's task_struct).

    ``active`` is 1 while it runs or is on a run queue, ``cpu`` the CPU that it runs on or ran last.
    A task is on one run queue at most at any time by ``next``, and on two wait queues.
    """

    number = word()
    state = word()
    active = word()
    cpu = word()
    next = pointer("Task")
    waits = array(2, WaitEntry, padded=True)


class TaskList(Struct):
    """Tasks in the order of their arrival. The caller holds the lock that guards it."""

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

    def take_out(self, number):
        # For setup: those before it go to the end, since no arrival has given them their order.
        task = yield from self.take()
        while (yield task.number.load()) != number:
            yield from self.append(task)
            task = yield from self.take()
        return task


class WaitList(Struct):
    """Entries of tasks that wait. The caller holds the lock that guards it."""

    first = pointer(WaitEntry)
    last = pointer(WaitEntry)

    def prepend(self, entry: WaitEntry):
        first = yield self.first.load(RELAXED)
        yield entry.previous.store(NULL, RELAXED)
        yield entry.next.store(first, RELAXED)
        if first:
            yield first.previous.store(entry, RELAXED)
        else:
            yield self.last.store(entry, RELAXED)
        yield self.first.store(entry, RELAXED)

    def append(self, entry: WaitEntry):
        last = yield self.last.load(RELAXED)
        yield entry.next.store(NULL, RELAXED)
        yield entry.previous.store(last, RELAXED)
        if last:
            yield last.next.store(entry, RELAXED)
        else:
            yield self.first.store(entry, RELAXED)
        yield self.last.store(entry, RELAXED)

    def remove(self, entry: WaitEntry):
        after = yield entry.next.load(RELAXED)
        before = yield entry.previous.load(RELAXED)
        if before:
            yield before.next.store(after, RELAXED)
        else:
            yield self.first.store(after, RELAXED)
        if after:
            yield after.previous.store(before, RELAXED)
        else:
            yield self.last.store(before, RELAXED)


class WaitQueue(Struct):
    """The waiting tasks, and the lock that guards the list (Linux's wait_queue_head)."""

    lock = part(TTASLock)
    entries = part(WaitList)


class Scheduler(Struct):
    """Base of all schedulers: tasks, and waiting. The others add the rest.

    ``live`` counts the tasks that have not ended; when the last one ends, the CPUs stop.
    """

    tasks = perthread(Task)
    live = word(padded=True)
    halted = word(padded=True)

    def number_tasks(self):
        # For setup.
        for t in range(n_threads()):
            yield self.tasks[t].number.store(t)
            for i in range(2):
                yield self.tasks[t].waits[i].task.store(self.tasks[t])
        yield self.live.store(n_threads() - n_cpus())

    def first_cpu(self, number):
        # Where a task ran last before the simulation begins. Hashed, so that it says nothing of
        # what the task does: programs number their tasks by role.
        return (((number * 2654435769) & 4294967295) >> 16) % n_cpus()

    def share_memory(self, number: int, space: int) -> Program:
        """For a workload's setup: tasks with the same number of a space share it."""
        yield fence(RELEASE)

    def begin_asleep(self, number: int, on: WaitList) -> Program:
        """For a workload's setup: a task begins when it is woken, and takes its first entry off."""
        yield from self.put_aside(number)
        yield self.tasks[number].state.store(INTERRUPTIBLE)
        yield from on.append(self.tasks[number].waits[0])

    def put_aside(self, number: int) -> Program:
        """Take a task off its run queue, in setup; where there is none, nothing is to be done."""
        yield fence(RELEASE)

    def schedule(self) -> Program:
        """Give up the CPU; back when it is this task's turn, which is never while it sleeps."""
        raise NotImplementedError

    def wake_up_process(self, task: Task) -> Program:
        """Make a task runnable, whatever its state; 1 if it is back on a run queue by that."""
        raise NotImplementedError

    # Waiting and waking

    def add_wait_queue(self, queue: WaitQueue, entry: WaitEntry):
        yield from queue.lock.acquire()
        yield entry.flags.store(0, RELAXED)
        yield from queue.entries.prepend(entry)
        yield from queue.lock.release()

    def add_wait_queue_exclusive(self, queue: WaitQueue, entry: WaitEntry):
        yield from queue.lock.acquire()
        yield entry.flags.store(EXCLUSIVE, RELAXED)
        yield from queue.entries.append(entry)
        yield from queue.lock.release()

    def remove_wait_queue(self, queue: WaitQueue, entry: WaitEntry):
        yield from queue.lock.acquire()
        yield from queue.entries.remove(entry)
        yield from queue.lock.release()

    def wake_up(self, queue: WaitQueue, mode):
        # mode: the states of those who are to be woken.
        yield from queue.lock.acquire()
        entry = yield queue.entries.first.load(RELAXED)
        while entry:
            task = yield entry.task.load(RELAXED)
            if (yield task.state.load(RELAXED)) & mode:
                woken = yield from self.wake_up_process(task)
                if woken and (yield entry.flags.load(RELAXED)) & EXCLUSIVE:
                    break
            entry = yield entry.next.load(RELAXED)
        yield from queue.lock.release()

    def wait(self, queue: WaitQueue, lock: TTASLock):
        # With the lock held that guards what is waited for; it is held again afterwards.
        me = self.tasks[thread()]
        yield from self.add_wait_queue_exclusive(queue, me.waits[0])
        yield me.state.store(INTERRUPTIBLE, RELAXED)
        yield from lock.release()
        yield from self.schedule()
        yield from self.remove_wait_queue(queue, me.waits[0])
        yield from lock.acquire()

    def exit(self):
        # The task's last call: it does not come back.
        if (yield self.live.fetch_add(-1)) == 1:
            yield from self.halt()
        yield from self.end()
        yield from self.schedule()

    def end(self):
        yield self.tasks[thread()].state.store(ENDED, RELAXED)
