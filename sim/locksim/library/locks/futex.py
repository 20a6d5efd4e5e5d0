"""Futex mutex: one word in user space, and the kernel only where a thread must sleep.

Mechanism. The word is 0 for free, 1 for held, 2 for held with sleepers, perhaps. ``acquire`` swaps
0 for 1; that is all when uncontended. If the word was 1, it writes 2 by an exchange. If that gives
0 it has the mutex, and leaves the 2, since there may be others. If not it calls the kernel, which
lets it sleep if the word is still 2, and then exchanges again. ``release`` counts the word down. If
it was 1 that is all; if it was 2 it writes 0 and wakes one sleeper.

Invariants. While a thread sleeps and none has been woken, the word is 2, or a ``release`` is
between its store of 0 and its ``wake``. A woken thread writes 2, not 1: it cannot know whether it
was the last sleeper. The price is one ``wake`` too many for each series of sleepers.

Orders. Each way in is an ACQUIRE of the word, each way out a RELEASE.

Cost in line transfers. Uncontended: none if this CPU had the mutex last, else one; two atomic
instructions. Contended, each sleep and each wake-up is a call into the kernel
(``locksim/library/kernel/futex_queue.py``), which is far more than a short critical section takes.
So waiters that spin are better for short holds while each thread has a CPU, and this one for long
holds, or where a holder may lose its CPU (docs/PREEMPTION.md).

Proofs. Under c11 two threads are proven, and three are too many for the checker's memory. The class
claims sc and tso only.

Fairness. None: a thread that comes while the woken one is still on its way takes the mutex. That
keeps it busy (a handoff would leave it idle for the time of a wake-up), and can starve a sleeper.

Not modelled. The spinning before the first sleep of "adaptive" mutexes, robust and recursive ones.

Source: Drepper, Futexes Are Tricky, 2011, "Mutex, Take 3".
"""

from locksim.lang import *
from locksim.library.kernel.futex_queue import Futex, TaskFutex

__all__ = ["FutexMutex", "TaskFutexMutex"]

FREE = 0
HELD = 1
SLEEPERS = 2


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


class TaskFutexMutex(FutexMutex):
    """The same for tasks that share CPUs; see the workload ``time_shared``."""

    futex = part(TaskFutex, padded=True)
