"""rcutest, the benchmark of kaigai-2004: N processes write one byte and seek back, again and again.

Each process has a file of its own, so nothing is shared but the access vector cache: every
process asks for the same key. One iteration, one unit of work, is ``write()`` and ``lseek()``:

- ``write()``: its way in, the check, and the file's semaphore round the copy into the page;
- ``lseek()``: the file's semaphore again (Linux 2.6.8: ``generic_file_write`` in mm/filemap.c and
  ``generic_file_llseek`` in fs/read_write.c both take ``i_sem``), and the way out of the kernel,
  where an RCU cache learns that its CPU holds no reference any more.

The semaphore is the process's own and costs next to nothing. It matters all the same: its atomic
instruction waits until the CPU's earlier stores are visible, the release of the cache's lock among
them. Without it, a CPU could come back to the lock while its own release still waits for the line,
and read its "free" from the store buffer before any other CPU can see it.

All processes start together, so that a lock's queue is full from the beginning. Under a lock that
is not fair a run that starts with a nearly empty queue can fall into step in another way: two
processes hand the lock to each other for ever, each back before the others, which spin, have read
the line again. On a real machine any long delay, such as a clock tick, ends that. A full queue,
once there, stays.
"""

from locksim.lang import *
from locksim.library.avc.avc_spinlock import AvcSpinlock

__all__ = ["RcuTest"]

SSID = 11
TSID = 42
TCLASS = 6
WRITE = 1 << 2


class RcuTest(Workload):
    """N processes, each checking the same permission once an iteration (rcutest.c of kaigai-2004).

    Arguments:
        other_ps: mean work of one iteration outside the check, in picoseconds.
        jitter_ps: half the width of that work's uniform distribution, at most ``other_ps``. No two
            system calls take the same time; without it the processes of a simulation fall into
            step and stay there.
    """

    other_ps = param(1600 * NS)
    jitter_ps = param(160 * NS)
    cache = part(AvcSpinlock)
    i_sem = percpu(word(1))

    def setup(self):
        # The cache has been in use for long: the one entry that everybody asks for is there.
        yield from self.cache.has_perm(SSID, TSID, TCLASS, WRITE)

    def thread(self):
        while True:
            work = self.other_ps - self.jitter_ps + random_below(2 * self.jitter_ps + 1)
            yield compute(work // 2)
            yield from self.cache.has_perm(SSID, TSID, TCLASS, WRITE)
            yield self.i_sem[cpu()].fetch_add(-1, ACQUIRE)
            yield compute(work // 4)
            yield self.i_sem[cpu()].fetch_add(1, RELEASE)
            yield self.i_sem[cpu()].fetch_add(-1, ACQUIRE)
            yield compute(work // 4)
            yield self.i_sem[cpu()].fetch_add(1, RELEASE)
            yield from self.cache.syscall_exit()
            yield done()
