"""Paths read under rename_lock taken as a writer: ``d_path`` until 2013.

Mechanism. A walk takes ``rename_lock`` as a writer, though it changes nothing, only to avoid being
disturbed. On the way it takes each entry's spinlock while it copies the name, the same lock under
which every ``dget`` and ``dput`` of that entry counts.

Invariants. Walks exclude each other and every rename; none is ever repeated. They count the
sequence up, so every optimistic reader of the machine begins again.

Cost in line transfers. The handoff of the ticket lock, which grows with the waiters; the data that
the last walk wrote: the sequence and one line for each entry's lock, all *inside* the critical
section. So the section is long because all CPUs write these lines in turn.

Fairness. First come, first served, from the ticket lock.

Not modelled. See ``dcache``.

Source: Linux 3.8, fs/dcache.c: d_path (write_seqlock), prepend_path (spin_lock of d_lock).
"""

from locksim.lang import *
from locksim.library.kernel.dcache import Dcache
from locksim.library.locks.lockref_spinlock import SpinlockRef
from locksim.library.locks.seqlock import SpinSeqLock

__all__ = ["SeqWriterDcache", "SpinlockDentry", "WriterWalkDcache"]


class SpinlockDentry(Struct):
    """A directory entry whose count needs its spinlock (Linux 3.8, struct dentry)."""

    parent = pointer("SpinlockDentry")
    name = word()
    count = part(SpinlockRef, padded=True)


class WriterWalkDcache(Dcache):
    """Walks are writers of rename_lock, and take no entry's lock.

    Long's patches 1 and 4 without 2 and 3; it was never released.
    """

    rename_lock = part(SpinSeqLock, padded=True)

    def walk_enter(self, attempt):
        yield from self.rename_lock.write_acquire()
        return attempt

    def walk_leave(self, attempt, token):
        assert attempt == token
        yield from self.rename_lock.write_release()
        return 0

    def move_acquire(self):
        yield from self.rename_lock.write_acquire()

    def move_release(self):
        yield from self.rename_lock.write_release()


class SeqWriterDcache(WriterWalkDcache):
    """Walks are writers of rename_lock and lock each entry (Linux 3.8, fs/dcache.c)."""

    file = pointer(SpinlockDentry, padded=True)
    dentries = array("components", SpinlockDentry, padded=True)

    def prepend_name(self, dentry: SpinlockDentry):  # type: ignore[override] # its own entries
        yield from dentry.count.acquire()
        name = yield dentry.name.load(RELAXED)
        yield compute(self.prepend_ps)
        yield from dentry.count.release()
        return name
