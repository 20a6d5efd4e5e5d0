"""Sequence lock with a locking reader that excludes all CPUs but the optimistic readers.

Mechanism. As ``seqlock``; besides, a reader may take the writers' spinlock without touching the
number (``read_seqlock_excl`` in Linux). It then sees the data at rest and need not repeat. The
optimistic readers notice nothing of it, because the number stays even and unchanged. This is how
mainline ends the retries of a long reader: the first try is optimistic, the second one locks
(``read_seqbegin_or_lock``; a path's walk to the root under ``rename_lock`` does so).

Invariants. Those of ``seqlock``. At most one of all writers and locking readers is in.

Cost in line transfers. A locking read is an acquisition and a release of the spinlock: a write of
the line, which takes the number from the optimistic readers' caches too. This costs each of them a
transfer, but they do not read again.

Fairness. A locking reader queues up with the writers, first come first served, and cannot
starve. But locking readers exclude each other: many of them at once run one after another. The
lock that lets them in together is ``seqrwlock``; mainline chose this one.

The meters count a locking reader as a holder like a writer, since it excludes like one.

Not modelled. As for ``seqlock``.

Source: Linux 3.12, include/linux/seqlock.h; W. Long, "seqlock: Add a new locking reader type",
commit 1370e97bb2eb, September 2013.
"""

from locksim.library.locks.seqlock import SpinSeqLock

__all__ = ["ExclusiveReaderSeqLock"]


class ExclusiveReaderSeqLock(SpinSeqLock):
    """Seqlock with an exclusive locking reader (Long; Linux 3.12, include/linux/seqlock.h)."""

    METERED = {  # noqa: RUF012 - a declaration of the language, read as it stands
        "read_acquire": "acquire",
        "read_release": "release",
        "write_acquire": "acquire",
        "write_release": "release",
    }

    def read_acquire(self):
        yield from self.lock.acquire()

    def read_release(self):
        yield from self.lock.release()
