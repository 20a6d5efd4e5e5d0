"""Paths under Linux 3.8's rename_lock with one thing changed: what each change alone is worth.

- :class:`QueuedSeqWriterDcache`: all spinlocks are queued ones (``qspinlock``, Linux 4.2). Walks
  still exclude each other; what goes is the storm of waiters that read a released lock again.
- :class:`LockrefSeqWriterDcache`: entries count by ``lockref`` (Linux 3.12), so references to the
  root need no lock; a walk is still a writer, and takes each entry's lock.

Mechanism, invariants and what is not modelled: ``dcache_seqwriter``. Nobody released such kernels.
"""

from locksim.kernel.dcache import Dentry
from locksim.kernel.dcache_seqwriter import SeqWriterDcache
from locksim.lang import RELAXED, Struct, array, compute, part, pointer, word
from locksim.locks.lockref_spinlock import SpinlockRef
from locksim.locks.qspinlock import QueuedSpinlock
from locksim.locks.seqlock import SpinSeqLock

__all__ = ["LockrefSeqWriterDcache", "QueuedSeqWriterDcache"]


class QueuedDentry(Struct):
    """A directory entry whose count needs its queued spinlock."""

    parent = pointer("QueuedDentry")
    name = word()
    count = part(SpinlockRef(lock=QueuedSpinlock), padded=True)


class QueuedSeqWriterDcache(SeqWriterDcache):
    """Linux 3.8's d_path over queued spinlocks."""

    file = pointer(QueuedDentry, padded=True)
    rename_lock = part(SpinSeqLock(lock=QueuedSpinlock), padded=True)
    dentries = array("components", QueuedDentry, padded=True)

    def prepend_name(self, dentry: QueuedDentry):
        yield from dentry.count.acquire()
        name = yield dentry.name.load(RELAXED)
        yield compute(self.prepend_ps)
        yield from dentry.count.release()
        return name


class LockrefSeqWriterDcache(SeqWriterDcache):
    """Linux 3.8's d_path over entries with lockref."""

    file = pointer(Dentry, padded=True)
    dentries = array("components", Dentry, padded=True)

    def prepend_name(self, dentry: Dentry):
        yield from dentry.count.acquire()
        name = yield dentry.name.load(RELAXED)
        yield compute(self.prepend_ps)
        yield from dentry.count.release()
        return name
