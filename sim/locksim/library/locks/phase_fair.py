"""Phase-fair rwlock: phases of readers and of one writer take turns while both wait.

Mechanism. Readers count themselves in at ``readers_in`` and out at ``readers_out``, both above two
bits for the writer: PRESENT, a writer holds or waits for the readers, and a bit that tells two
writers that follow one another apart. A reader that finds a writer present waits until these bits
*change*: until this writer is gone, whether or not the next one is there already. Writers queue by
tickets. The one that is served sets its bits by a fetch-and-add, which also tells it how many
readers came before it, and waits until as many have gone.

Invariants. The bits are 0, or belong to the writer that is served. ``readers_out`` never passes the
count of ``readers_in``. A reader waits for one writer at most, whatever comes after it.

Orders. The change of the bits is a RELEASE, and a reader's loads of them are ACQUIREs; leaving is a
RELEASE, and the writer's wait for the readers an ACQUIRE. One writer hands over to the next by
``writers_out``.

Cost in line transfers. Readers alone: two fetch-and-adds for each read, on two words of one line,
as for ``rwlock``: a constant rate for all readers together. A writer takes the line at its ticket,
to set its bits, to let the readers in and to serve the next.

Fairness. A reader waits for one writer phase at most; a writer for those writers before it, and
one reader phase before each. Neither side can starve the other: in ``rwlock`` readers starve
writers, in ``rwlock_writer`` writers starve readers, and ``qrwlock`` lets both queue up.

Not modelled. The original's bytes and 32-bit counters, which wrap around.
"""

from locksim.lang import *

__all__ = ["PhaseFairRWLock"]

READER = 4
PRESENT = 2
PHASE = 1
BITS = PRESENT | PHASE


class PhaseFairRWLock(RWLock):
    """Phase-fair ticket rwlock, PF-T (Brandenburg and Anderson, Real-Time Systems 46(1), 2010)."""

    readers_in = word()
    readers_out = word()
    writers_in = word()
    writers_out = word()

    def read_acquire(self):
        writer = (yield self.readers_in.fetch_add(READER, ACQUIRE)) & BITS
        if writer:
            yield pause()
            while (yield self.readers_in.load(ACQUIRE)) & BITS == writer:
                yield pause()

    def read_release(self):
        yield self.readers_out.fetch_add(READER, RELEASE)

    def write_acquire(self):
        ticket = yield self.writers_in.fetch_add(1, RELAXED)
        while (yield self.writers_out.load(ACQUIRE)) != ticket:
            yield pause()
        before = yield self.readers_in.fetch_add(PRESENT | (ticket & PHASE), RELAXED)
        while (yield self.readers_out.load(ACQUIRE)) != before:
            yield pause()

    def write_release(self):
        yield self.readers_in.fetch_and(~BITS, RELEASE)
        served = yield self.writers_out.load(RELAXED)
        yield self.writers_out.store(served + 1, RELEASE)
