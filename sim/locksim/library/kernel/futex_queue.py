"""The futex of Linux: a word in user space, and a queue in the kernel for those who sleep on it.

Mechanism. A program decides by its own word whether it must sleep, and calls the kernel only then.
``wait(expected)`` sleeps if the word still has the expected value, else it returns at once;
``wake()`` wakes the one that has slept longest. The queue is guarded by a spinlock, the *bucket*'s.
``wait`` compares *under* that lock. So a ``wake`` after a change of the word either takes the lock
later, and finds the sleeper, or has taken it before, and then the comparison fails: compare and
block are one step to whoever wakes.

The return of ``wait`` promises nothing about the word. Its caller looks again.

Invariants. The queue changes under ``bucket`` only. A sleeper is on the queue until a ``wake``
takes it off, and is marked only then; each mark lets one ``wait`` return.

Orders. The mark is set with RELEASE and read with ACQUIRE. On CPUs it is set by an exchange: a
plain store could stay in the store buffer while the interrupt is sent.

Two ways to sleep. In ``Futex`` the CPU sleeps with its thread (``block``), as for one thread pinned
to each CPU. ``TaskFutex`` is for tasks that share CPUs under the scheduler ``time_slices``: a task
gives up its CPU, and another one runs. Its calls are in the kernel, where no slice ends.

Cost in line transfers. ``wait``: the bucket's line, the word's, the entry's. ``wake``: the bucket's
and the entry's, and an interrupt or a wake-up. A ``wake`` with no sleeper costs the bucket's line.

Not modelled. The time of the entry to the kernel. The hash from addresses to buckets: each word has
a bucket of its own. Requeueing, time-outs, signals, private and shared futexes, priorities.

Source: Franke, Russell and Kirkwood, "Fuss, Futexes and Furwocks", OLS 2002; Linux 2.6,
kernel/futex.c.
"""

from locksim.lang import *
from locksim.library.locks.ttas import TTASLock
from locksim.library.schedulers.interface import RUNNING, UNINTERRUPTIBLE
from locksim.library.schedulers.time_slices import TimeSlices

__all__ = ["Futex", "TaskFutex"]


class Sleeper(Struct):
    """A thread's place on the queue; ``woken`` is 1 once it may go on."""

    number = word()
    woken = word()
    next = pointer("Sleeper")


class Futex(Struct):
    """One word and its sleepers, a thread on each CPU (Linux 2.6, kernel/futex.c)."""

    value = word(padded=True)
    bucket = part(TTASLock, padded=True)
    first = pointer(Sleeper)
    last = pointer(Sleeper)
    sleepers = perthread(Sleeper)

    def setup(self):
        for i in range(n_threads()):
            yield self.sleepers[i].number.store(i, RELAXED)

    def wait(self, expected):
        """Sleep until woken, if the word has the expected value."""
        me = self.sleepers[thread()]
        yield me.woken.store(0, RELAXED)
        yield me.next.store(NULL, RELAXED)
        yield from self.bucket.acquire()
        same = (yield self.value.load(RELAXED)) == expected
        if same:
            if (yield self.first.load(RELAXED)):
                last = yield self.last.load(RELAXED)
                yield last.next.store(me, RELAXED)
            else:
                yield self.first.store(me, RELAXED)
            yield self.last.store(me, RELAXED)
        yield from self.bucket.release()
        if same:
            yield from self.sleep(me)

    def wake(self):
        """Wake one sleeper, if there is one."""
        yield from self.bucket.acquire()
        sleeper = yield self.first.load(RELAXED)
        if sleeper:
            after = yield sleeper.next.load(RELAXED)
            yield self.first.store(after, RELAXED)
        yield from self.bucket.release()
        if sleeper:
            yield from self.rouse(sleeper)

    # How a thread sleeps and is woken: with its CPU

    def sleep(self, me: Sleeper):
        while not (yield me.woken.load(ACQUIRE)):
            yield block()

    def rouse(self, sleeper: Sleeper):
        number = yield sleeper.number.load(RELAXED)
        yield sleeper.woken.swap(1, RELEASE)
        yield wake(number)


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
