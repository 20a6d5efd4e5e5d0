"""Paths read under rename_lock taken as a blocking reader: what long-2013 proposed.

Mechanism. ``rename_lock`` is a sequence lock over a reader-writer lock. A walk takes it for
reading: it waits for a rename and keeps renames out, and other walks go on beside it. References
are counted without the entries' locks, which a walk does not take either.

Invariants. No walk overlaps a rename; none is ever repeated. The sequence stands still for a walk.

Cost in line transfers. Two writes of the lock's word, in and out, and two of the root's count,
wherever other CPUs call too; the walk itself reads lines that no CPU writes.

Fairness. Readers first: a steady stream of walks starves a rename.

Not modelled. See ``dcache``. The patches count without the lock only while the count is above 1,
by compare-and-swap of the count alone; here ``lockref`` stands for that.

Source: long-2013, patches 1 to 4.
"""

from locksim.lang import *
from locksim.library.kernel.dcache import Dcache
from locksim.library.locks.seqrwlock import SeqRWLock

__all__ = ["SeqRWLockDcache"]


class SeqRWLockDcache(Dcache):
    """Walks are blocking readers of rename_lock (Long, linux-fsdevel, 19 February 2013)."""

    rename_lock = part(SeqRWLock, padded=True)

    def walk_enter(self, attempt):
        yield from self.rename_lock.read_acquire()
        return attempt

    def walk_leave(self, attempt, token):
        assert attempt == token
        yield from self.rename_lock.read_release()
        return 0

    def move_acquire(self):
        yield from self.rename_lock.write_acquire()

    def move_release(self):
        yield from self.rename_lock.write_release()
