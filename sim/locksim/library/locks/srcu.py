"""Sleepable RCU: readers are counted, so that they may sleep; each domain waits for its own only.

Mechanism. In ``rcu`` and ``rcu_qsbr`` a CPU in a quiescent state has no reader, so no reader may
give up its CPU. Here a reader counts itself in and out, and an updater that wants to free waits
until both counts agree. They are kept for each CPU, so that readers share no line; a reader that
slept may count itself out on another CPU, since only sums are compared. The counts come in two
ranks, and ``index`` says which one new readers use. An updater waits for the rank that is not in
use, *flips* ``index``, and waits for the other. Readers that come meanwhile enter the rank that it
does not wait for, so they do not delay it.

Why two waits. A reader reads ``index`` and then counts itself in. If it is delayed in between,
``index`` may flip first; the reader then enters the rank that is no longer in use. The next updater
flips back to that rank, so a wait for the other rank alone would miss this reader.

Why out is summed before in. Counts only grow, and a reader that the first sum counted out is
counted in by the second. The other way round, a reader that comes and goes between the sums would
hide a reader that stays.

Barriers, by Linux's letters. B, in ``read_lock``, after the count, and A, between the sums: either
the updater finds the reader counted in, or the reader finds the old object unlinked. That is store
buffering, so x86 needs B; A also acquires what C, in ``read_unlock``, puts before the count out (a
RELEASE would do for C; Linux promises its callers a full fence). D, after the flip: a CPU whose
count out the first sum misses finds the flip at its next reader but one at the latest. So only a
few readers fit between the sums, and counts of two bits suffice for three CPUs. Without D enough of
them would fit to make narrow counts wrap and agree by mistake. E, before the flip, is the RELEASE
of the store: the sums come before it. No model of the checker lets a store overtake a load, so none
shows what E is for. ``test_srcu.py`` leaves them out one after the other.

Invariants. Out is not above in, for each rank, summed over the CPUs. ``index`` changes by 1, under
``lock``; its lowest bit is the rank. Only its own CPU writes a count, and a thread never leaves its
CPU amid one.

Cost in line transfers. Reader: none as long as no updater waits. It has two full fences, and two
counts on a line of its CPU's own. A grace period on N CPUs: the updater reads the counts on N
lines. It reads them for two ranks and two sums each, but a line moves again only if its CPU has
changed it since. Each CPU that counts afterwards gets its line back (N), and re-reads ``index``
(N).

Fairness. No reader ever waits. Updaters wait for one another: each has a grace period of its own. A
reader that never ends stops all freeing in its domain, and in no other.

Not modelled. ``call_srcu``, and grace periods that updaters share; what the updater does between
two looks at the counts (5 us, then sleep); the first version's readers without fences (Linux
2.6.19, whose updaters waited for every CPU to schedule instead); the tree of later kernels.
"""

from locksim.lang import *
from locksim.library.locks.ttas import TTASLock

__all__ = ["SRCU"]


class SrcuCpu(Struct):
    """Readers that came and went on one CPU, by rank (struct srcu_array of Linux 4.11)."""

    came = array(2)
    went = array(2)


class SRCU(SleepableRCU):
    """Sleepable RCU (McKenney, LWN 202847, 2006; Linux 4.11, kernel/rcu/srcu.c)."""

    index = word(padded=True)
    lock = part(TTASLock, padded=True)
    cpus = percpu(SrcuCpu)

    def read_lock(self):
        index = yield self.index.load(RELAXED)
        came = self.cpus[cpu()].came[index & 1]
        count = yield came.load(RELAXED)
        yield came.store(count + 1, RELAXED)
        yield fence()  # B
        return index & 1

    def read_unlock(self, rank):
        yield fence()  # C
        went = self.cpus[cpu()].went[rank]
        count = yield went.load(RELAXED)
        yield went.store(count + 1, RELAXED)

    def synchronize_srcu(self):
        # Not inside a reader of this domain.
        yield from self.lock.acquire()
        index = yield self.index.load(RELAXED)
        yield from self.wait_for_readers(1 - (index & 1))
        yield self.index.store(index + 1, RELEASE)  # E
        yield fence()  # D
        yield from self.wait_for_readers(index & 1)
        yield from self.lock.release()

    def wait_for_readers(self, rank):
        while True:
            went = 0
            for i in range(n_cpus()):
                count = yield self.cpus[i].went[rank].load(RELAXED)
                went += count
            yield fence()  # A
            came = 0
            for i in range(n_cpus()):
                count = yield self.cpus[i].came[rank].load(RELAXED)
                came += count
            if came == went:
                return
            yield pause()
