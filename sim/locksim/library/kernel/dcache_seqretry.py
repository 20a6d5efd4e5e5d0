"""Paths read without a lock, and under it if a rename came by: Linux from 3.12 on.

Mechanism. The first attempt looks at the sequence only, and writes nothing. If a rename came
meanwhile, the second one takes ``rename_lock`` as an exclusive reader, which leaves the sequence
alone, and is the last. The root is held by RCU, so no reference is counted.

Invariants. A path from an optimistic attempt is returned only if the sequence stood still, and was
even, from before its first to after its last load. At most two attempts.

Cost in line transfers. None as long as there is no rename, on however many CPUs.

Fairness. Second attempts queue up with the renames, first come, first served.

Not modelled. See ``dcache``. Entries are never freed here, so RCU has nothing to do.

Source: Linux 3.12, fs/dcache.c: read_seqbegin_or_lock, done_seqretry, get_fs_root_rcu.
"""

from locksim.lang import *
from locksim.library.kernel.dcache import Dcache
from locksim.library.locks.seqlock_exclusive import ExclusiveReaderSeqLock

__all__ = ["SeqRetryDcache"]


class SeqRetryDcache(Dcache):
    """Walks are optimistic, then exclusive readers of rename_lock (Linux 3.12, fs/dcache.c)."""

    count_root = param(0)
    rename_lock = part(ExclusiveReaderSeqLock, padded=True)

    def walk_enter(self, attempt):
        if attempt:
            yield from self.rename_lock.read_acquire()
            return 0
        return (yield from self.rename_lock.read_begin())

    def walk_leave(self, attempt, token):
        if attempt:
            yield from self.rename_lock.read_release()
            return 0
        return (yield from self.rename_lock.read_retry(token))

    def move_acquire(self):
        yield from self.rename_lock.write_acquire()

    def move_release(self):
        yield from self.rename_lock.write_release()
