"""Reader-writer lock of one futex, as a C library has it: readers first, and waiters sleep.

Mechanism. The low 31 bits of the word count readers, or are all set while a writer is in; the bit
above says that a thread may sleep. Beside the word lies a count of waiters. A reader adds 1 by a
compare-and-swap as long as no writer is in; a writer swaps "writer" for 0. Who cannot get in counts
itself as a waiter, sets the upper bit, and calls the kernel, which lets it sleep if the word is
still the same. Awake, it takes itself off the count and tries again. The last reader that leaves,
and each writer, writes 0; if there was the bit, or a waiter is counted, the reader then wakes one
sleeper, and the writer all.

Why one is enough for the reader: those who sleep while readers are in are writers. A reader sleeps
only behind a writer, and that one wakes all. Why the bit alone is not enough: of several writers
that sleep one is woken, and takes the lock by swapping 0 for "writer". Nothing in the word speaks
of the others. The count does.

Invariants. While a thread sleeps, the upper bit is set, or a thread has been woken and is counted
with the sleepers or is about to look again, or one is between its store of 0 and its wake-up. The
count is never below the number of sleepers. A reader adds to a word without a writer only, and a
writer changes 0 only: a writer is never in together with another thread.

Orders. Each way in is an ACQUIRE of the word, each way out a RELEASE. The rest is RELAXED: the
kernel compares the word under the lock of its queue, and by that lock the one that is woken sees
the counts of those who slept before.

Cost in line transfers. As ``rwlock``: each reader writes the word twice, so readers do not scale;
and by a compare-and-swap, which can fail where other readers come and go. A reader also loads the
count when it leaves, which is a copy of its own unless a thread went to sleep. Contended: what
``futex`` pays for each sleep and wake-up. A writer that leaves wakes all, and writers among them
may find readers inside and sleep again.

Fairness. New readers overtake a waiting writer, and a steady stream of readers starves it. So a
thread that reads may read once more, whoever waits. glibc prefers readers too, unless a program
asks for ``PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP``, but hands over whole phases: its readers
announce themselves first, and a writer that leaves lets in all who have.

Proofs. Under c11 two threads are proven. The class claims sc and tso only, as ``futex`` does.

Not modelled. The hundred looks at the word before the first sleep; time-outs; the bound on readers;
that word and count share a line. POSIX has one unlock for both sides, which looks at the word.

Source: Felker, musl 1.2, src/thread/pthread_rwlock_timedrdlock.c, _timedwrlock.c and _unlock.c.
glibc: Riegel, glibc 2.25, nptl/pthread_rwlock_common.c.
"""

from locksim.lang import *
from locksim.library.locks.futex import Futex

__all__ = ["FutexRWLock", "BroadcastFutex"]  # noqa: RUF022 - the first is the lock

WRITER = (1 << 31) - 1
SLEEPERS = 1 << 31


class BroadcastFutex(Futex):
    """A futex that can wake all its sleepers at once."""

    def wake_all(self):
        """Wake every sleeper."""
        yield from self.bucket.acquire()
        sleeper = yield self.first.load(RELAXED)
        yield self.first.store(NULL, RELAXED)
        yield from self.bucket.release()
        while sleeper:
            after = yield sleeper.next.load(RELAXED)  # awake, it may queue again
            yield from self.rouse(sleeper)
            sleeper = after


class FutexRWLock(RWLock):
    """Sleeping rwlock of one futex, readers first (Felker, musl, src/thread/pthread_rwlock_*.c)."""

    MODELS = ("sc", "tso")
    NESTED_READERS = 1
    futex = part(BroadcastFutex, padded=True)
    waiters = word()

    def read_acquire(self):
        if (yield from self.read_try_acquire()):
            return
        yield pause()
        while not (yield from self.read_try_acquire()):
            value = yield self.futex.value.load(RELAXED)
            if value & WRITER == WRITER:
                yield from self.wait(value)

    def read_try_acquire(self):
        value = yield self.futex.value.load(RELAXED)
        while value & WRITER != WRITER:
            found = yield self.futex.value.compare_swap(value, value + 1, ACQUIRE)
            if found == value:
                return 1
            value = found
        return 0

    def read_release(self):
        value = yield self.futex.value.load(RELAXED)
        while True:
            waiters = yield self.waiters.load(RELAXED)
            after = 0 if value & WRITER == 1 else value - 1
            found = yield self.futex.value.compare_swap(value, after, RELEASE)
            if found == value:
                break
            value = found
        if after == 0 and (waiters or value & SLEEPERS):
            yield from self.futex.wake()

    def write_acquire(self):
        if (yield from self.write_try_acquire()):
            return
        yield pause()
        while not (yield from self.write_try_acquire()):
            value = yield self.futex.value.load(RELAXED)
            if value:
                yield from self.wait(value)

    def write_try_acquire(self):
        return (yield self.futex.value.compare_swap(0, WRITER, ACQUIRE)) == 0

    def write_release(self):
        waiters = yield self.waiters.load(RELAXED)
        value = yield self.futex.value.swap(0, RELEASE)
        if waiters or value & SLEEPERS:
            yield from self.futex.wake_all()

    def wait(self, value):
        """Sleep until woken, if the word still has the value, with or without its upper bit."""
        yield self.waiters.fetch_add(1, RELAXED)
        yield self.futex.value.compare_swap(value, value | SLEEPERS, RELAXED)
        yield from self.futex.wait(value | SLEEPERS)
        yield self.waiters.fetch_add(-1, RELAXED)
