"""Paths read as in Linux 3.8, over queued spinlocks: the effect of changing the spinlock alone.

Mechanism, invariants, and what is not modelled: ``dcache_seqwriter``, with ``qspinlock`` (Linux
4.2) in place of the ticket lock under ``rename_lock`` and in each entry. Such a kernel was never
released.

Cost in line transfers. Walks still exclude each other. The storm of many waiters that all read a
released lock again disappears. The queue adds its own cost, which is the larger one with one or two
waiters. And its release waits for the line here, where x86 has a plain store (see ``qspinlock``):
four times in each walk, inside the critical section.
"""

from locksim.lang import *
from locksim.library.kernel.dcache_seqwriter import SeqWriterDcache
from locksim.library.locks.lockref_spinlock import SpinlockRef
from locksim.library.locks.qspinlock import QueuedSpinlock
from locksim.library.locks.seqlock import SpinSeqLock

__all__ = ["QueuedSeqWriterDcache", "QueuedDentry"]  # noqa: RUF022 - the first is the entry


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

    def prepend_name(self, dentry: QueuedDentry):  # type: ignore[override] # its own entries
        yield from dentry.count.acquire()
        name = yield dentry.name.load(RELAXED)
        yield compute(self.prepend_ps)
        yield from dentry.count.release()
        return name
