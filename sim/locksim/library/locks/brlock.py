"""Big-reader lock: a reader-writer lock for each CPU; readers take one, writers take all.

Mechanism. A reader takes its own CPU's lock for reading. A writer takes those of all CPUs for
writing, in the order of their numbers, and lets go of all.

Invariants. A writer that is in holds every lock, so no reader and no other writer is in. All
writers take the locks in the same order, so none waits for another in a circle.

Cost in line transfers. A reader: none, since only writers touch its line: two atomic instructions
on a line of its own. The writer pays for this: it takes N lines, and the readers then need as many
transfers to get them back. If there are fewer than some N reads for each write, ``rwlock`` is the
better choice. Memory: a line for each CPU and lock.

Fairness. On each CPU readers overtake a waiting writer. The lock of CPU 0 decides between
writers.

The meters also count each CPU's lock by itself.

Not modelled. Readers that move to another CPU while they hold the lock: they would have to remember
whose lock they took. On machines whose atomic instructions are expensive the kernel had a variant
with plain counters, a fence and a check of the writer's lock.
"""

from locksim.lang import *
from locksim.library.locks.rwlock import ReaderPreferenceRWLock

__all__ = ["BigReaderLock"]


class BigReaderLock(RWLock):
    """Per-CPU reader-writer lock (Linux 2.4, include/linux/brlock.h, lib/brlock.c)."""

    NESTED_READERS = 1
    locks = percpu(ReaderPreferenceRWLock)

    def read_acquire(self):
        yield from self.locks[cpu()].read_acquire()

    def read_release(self):
        yield from self.locks[cpu()].read_release()

    def write_acquire(self):
        yield from self.locks[0].write_acquire()
        for i in range(1, n_cpus()):
            yield from self.locks[i].write_acquire()

    def write_release(self):
        yield from self.locks[0].write_release()
        for i in range(1, n_cpus()):
            yield from self.locks[i].write_release()
