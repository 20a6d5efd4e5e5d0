"""Futex mutex: one word in user space, and the kernel only where a thread must sleep.

Mechanism. The word is 0 for free, 1 for held, 2 for held with sleepers, perhaps. ``acquire`` swaps
0 for 1; that is all when uncontended. If the word was 1, it writes 2 by an exchange. If that gives
0 it has the mutex, and leaves the 2, since there may be others. If not it calls the kernel, which
lets it sleep if the word is still 2, and then exchanges again. ``release`` counts the word down. If
it was 1 that is all; if it was 2 it writes 0 and wakes one sleeper.

The kernel's half, ``Futex``, is a queue of sleepers under a spinlock, the *bucket*'s.
``wait(expected)`` compares the word under that lock, and sleeps if it has the expected value. So a
``wake`` after a change of the word either takes the lock later, and finds the sleeper, or has taken
it before, and then the comparison fails: compare and block are one step to whoever wakes. A
``wait`` that returns promises nothing about the word; its caller looks again.

Here the CPU sleeps with its thread (``block``), as for one thread pinned to each CPU. The mutex of
tasks that share CPUs is in ``locksim/library/kernel/task_futex.py``.

Invariants. While a thread sleeps and none has been woken, the word is 2, or a ``release`` is
between its store of 0 and its ``wake``. A woken thread writes 2, not 1: it cannot know whether it
was the last sleeper. The price is one ``wake`` too many for each series of sleepers. The queue
changes under the bucket's lock only; a sleeper is on it until a ``wake`` takes it off, and is
marked only then.

Orders. Each way in is an ACQUIRE of the word, each way out a RELEASE. The sleeper's mark is set by
an exchange: a plain store could wait in the store buffer while the interrupt is sent.

Cost in line transfers. Uncontended: none if this CPU had the mutex last, else one; two atomic
instructions. Contended: each sleep costs the bucket's line, the word's and the entry's; each
wake-up the bucket's and the entry's, and an interrupt. That is far more than a short critical
section takes. So waiters that spin are better for short holds while each thread has a CPU, and this
one for long holds, or where a holder may lose its CPU (sim/locksim/papers/ablations/preemption.md).

Proofs. Under c11 two threads are proven, and three are too many for the checker's memory. The class
claims sc and tso only.

Fairness. None: a thread that comes while the woken one is still on its way takes the mutex. That
keeps it busy (a handoff would leave it idle for the time of a wake-up), and can starve a sleeper.

Not modelled. The time of the entry to the kernel. Its hash from addresses to buckets: each word has
a bucket of its own. The spinning before the first sleep of "adaptive" mutexes, robust and recursive
ones; moving waiters to another futex, time-outs, signals and priorities.

Source: Drepper, Futexes Are Tricky, 2011, "Mutex, Take 3". The kernel's half: Franke, Russell and
Kirkwood, "Fuss, Futexes and Furwocks", OLS 2002; Linux 2.6, kernel/futex.c.
"""

from locksim.lang import *
from locksim.library.locks.ttas import TTASLock

__all__ = ["FutexMutex", "Futex", "Sleeper"]  # noqa: RUF022 - the first is the lock

FREE = 0
HELD = 1
SLEEPERS = 2


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


class FutexMutex(Lock):
    """Mutex of one word whose waiters sleep (Drepper, Futexes Are Tricky, 2011)."""

    MODELS = ("sc", "tso")
    futex = part(Futex, padded=True)

    def acquire(self):
        value = yield self.futex.value.compare_swap(FREE, HELD, ACQUIRE)
        if value == FREE:
            return
        yield pause()
        if value != SLEEPERS:
            value = yield self.futex.value.swap(SLEEPERS, ACQUIRE)
        while value != FREE:
            yield from self.futex.wait(SLEEPERS)
            value = yield self.futex.value.swap(SLEEPERS, ACQUIRE)

    def try_acquire(self):
        value = yield self.futex.value.compare_swap(FREE, HELD, ACQUIRE)
        return value == FREE

    def release(self):
        if (yield self.futex.value.fetch_add(-1, RELEASE)) != HELD:
            yield self.futex.value.store(FREE, RELEASE)
            yield from self.futex.wake()
