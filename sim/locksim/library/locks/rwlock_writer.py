"""Reader-writer lock on one word that prefers writers.

Mechanism. The lowest bits count readers, the upper half counts the writers that wait or are in,
and a bit between says that one is in. A writer first announces itself by adding to the upper
half; from then on no new reader gets in. It waits until the readers are gone and no other writer
is in, and sets the bit. It leaves by taking bit and announcement away together. A reader adds 1
and is in if it saw neither writer nor announcement; otherwise it takes its 1 back and reads until
there is none. A writer that finds the word 0 announces itself and gets in by one swap.

Invariants. The bit is set only on a word that counts no reader; a reader stays only if it saw the
upper half 0, hence no bit. A writer is never in together with another CPU. The word is 0 when no
CPU holds or tries.

Cost in line transfers. Readers as in ``rwlock``: two writes of the word each, one after another all
over the machine. Every try that fails is two more, and delays the writers, which use the same line.

Fairness. A writer waits for the readers that are in, not for later ones; writers overtake all
waiting readers, and writers that follow closely on one another starve the readers. Among
writers, and among readers, there is no order.

Not modelled. A reader that holds the lock and asks for it once more is stuck as soon as a writer
has come in between; ``rwlock`` would let it in.
"""

from locksim.lang import *

__all__ = ["WriterPreferenceRWLock"]

INSIDE = 1 << 31
ANNOUNCED = 1 << 32


class WriterPreferenceRWLock(RWLock):
    """One-word rwlock, writers first (Courtois, Heymans, Parnas, CACM 14(10), 1971, problem 2)."""

    state = word()

    def read_acquire(self):
        while (yield self.state.fetch_add(1, ACQUIRE)) >= INSIDE:
            yield self.state.fetch_add(-1, RELAXED)
            yield pause()
            while (yield self.state.load(RELAXED)) >= INSIDE:
                yield pause()

    def read_release(self):
        yield self.state.fetch_add(-1, RELEASE)

    def write_acquire(self):
        if (yield self.state.compare_swap(0, ANNOUNCED + INSIDE, ACQUIRE)) == 0:
            return
        yield self.state.fetch_add(ANNOUNCED, RELAXED)
        yield pause()
        while True:
            while (yield self.state.load(RELAXED)) % ANNOUNCED != 0:
                yield pause()
            value = yield self.state.load(RELAXED)
            if value % ANNOUNCED == 0:
                if (yield self.state.compare_swap(value, value + INSIDE, ACQUIRE)) == value:
                    return

    def write_release(self):
        yield self.state.fetch_add(-(ANNOUNCED + INSIDE), RELEASE)
