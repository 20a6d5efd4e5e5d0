"""Reader-writer lock on one word that prefers readers.

Mechanism. The low bits count readers, the sign bit says that a writer is in. A reader adds 1 and
looks at what was there: if it was not negative the reader is in; if it was, the reader takes its 1
back and reads until the word is no longer negative. A writer waits until the whole word is 0 and
swaps the sign bit in. It leaves by taking only that bit away, because readers may be on their way
in and out of the count. This is what ia64 Linux did in 2.6 (``fetchadd4.acq``, ``fetchadd4.rel``,
``cmpxchg4.acq``).

Invariants. The writer's bit is set only while the count was 0 at that moment, and a reader stays
only if it saw no bit: a writer is never in together with another CPU. The word is 0 when no CPU
holds or tries.

Cost in line transfers. A reader that has no competitor in sight still *writes* the lock's word
twice. With N CPUs that read, each pair of ``read_acquire`` and ``read_release`` is two
transfers of the same line, one after another, so all readers of the machine together get a
constant rate: the plateau. Readers do not exclude each other, and yet they do not scale.
Uncontended on one CPU: none.

Trying and changing sides. A try is the first attempt alone: a reader takes its 1 back, a writer
leaves. A writer becomes a reader by adding its 1 before it takes the bit away. The only reader
becomes the writer by swapping the bit in for its 1. A reader that is about to take its 1 back looks
like one that is in, so both the writer's try and the upgrade may fail beside it.

Fairness. New readers overtake a waiting writer; a steady stream of readers starves it. So a thread
that reads may read once more, whoever waits.

Not modelled. Nothing but the width: the kernel's count has 31 bits, this one 63.
"""

from locksim.lang import *

__all__ = ["ReaderPreferenceRWLock"]

WRITER = -(1 << 63)


class ReaderPreferenceRWLock(RWLock):
    """One-word rwlock, readers first (Linux ia64, 2.6: include/asm-ia64/spinlock.h)."""

    NESTED_READERS = 1
    state = word()

    def read_acquire(self):
        while (yield self.state.fetch_add(1, ACQUIRE)) < 0:
            yield self.state.fetch_add(-1, RELAXED)
            yield pause()
            while (yield self.state.load(RELAXED)) < 0:
                yield pause()

    def read_try_acquire(self):
        if (yield self.state.fetch_add(1, ACQUIRE)) < 0:
            yield self.state.fetch_add(-1, RELAXED)
            return 0
        return 1

    def read_release(self):
        yield self.state.fetch_add(-1, RELEASE)

    def write_acquire(self):
        while (yield self.state.load(RELAXED)) != 0:
            yield pause()
        while (yield self.state.compare_swap(0, WRITER, ACQUIRE)) != 0:
            yield pause()
            while (yield self.state.load(RELAXED)) != 0:
                yield pause()

    def write_release(self):
        yield self.state.fetch_and(~WRITER, RELEASE)

    def write_try_acquire(self):
        return (yield self.state.compare_swap(0, WRITER, ACQUIRE)) == 0

    def downgrade(self):
        yield self.state.fetch_add(1, RELAXED)
        yield self.state.fetch_and(~WRITER, RELEASE)

    def try_upgrade(self):
        return (yield self.state.compare_swap(1, WRITER, ACQUIRE)) == 1
