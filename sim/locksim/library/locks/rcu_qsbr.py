"""RCU by quiescent states, as in user space: an updater looks at every CPU itself before it frees.

Mechanism. ``current`` numbers the grace periods. Every CPU has a word of its own: the number that
it saw in its last quiescent state, or 0 while it is offline. ``synchronize_rcu`` counts
``current`` up and waits, CPU by CPU, until each word shows the new number or 0. A reader does
nothing at all; at a quiescent state a CPU reads ``current`` and, if it is a new one, copies it. In
``rcu`` the CPUs count themselves off under a lock, and the last one ends the grace period; here
they only say where they are, and the updater does the counting.

While it waits, an updater is offline itself. Of two updaters one has the lock, and the other one
waits for it; the waiting one must not delay that grace period.

Invariants. A CPU's word is 0 or not above ``current``, and only that CPU writes it. ``current``
changes only under ``lock``. A CPU reads the number that it writes into its word while it holds no
reference. So everything that it reads afterwards was reachable after that grace period began.

Orders. The updater's unlinking comes before its RELEASE of the new number, and what a CPU reads
after its ACQUIRE of that number comes after. What a CPU did before its quiescent state comes
before its RELEASE of the word, and the updater's freeing after its ACQUIRE. So a quiescent
state needs no full fence. Going online does, on both sides: the CPU announces itself and then
reads, while the updater unlinks and then looks for announcements; without the fences both could
miss each other, on x86 too. The fences of ``read_lock`` and ``read_unlock`` stand for the barriers
against the compiler that are there in C; they order nothing that quiescent states do not.

Cost in line transfers. Reader: none, ever. Quiescent state without a grace period: none, one load
that hits. One grace period on N CPUs: each re-reads ``current`` (N), gets the right to write its
own word back (N), and the updater reads all the words (N): 3 N, like ``rcu``, but on lines of
their own, so that only the updater's third goes one after another.

Fairness. No reader ever waits. An updater waits for the slowest CPU, and updaters for one another:
each has a grace period of its own, where ``rcu`` lets them share.

Not modelled. Callbacks (``call_rcu``), which liburcu runs in threads of their own; the futex on
which a long wait sleeps; a 32-bit counter, which must be flipped twice.
"""

from locksim.lang import *
from locksim.library.locks.ttas import TTASLock

__all__ = ["QSBR"]


class QSBR(ReadCopyUpdate):
    """RCU by quiescent states (Desnoyers et al., IEEE TPDS 23(2), 2012; liburcu, urcu-qsbr.c)."""

    current = word(1, padded=True)
    lock = part(TTASLock, padded=True)
    seen = percpu(word(1))

    def read_lock(self):
        yield fence(ACQUIRE)

    def read_unlock(self):
        yield fence(RELEASE)

    def quiescent(self):
        current = yield self.current.load(ACQUIRE)
        if (yield self.seen[cpu()].load(RELAXED)) != current:
            yield self.seen[cpu()].store(current, RELEASE)

    def offline(self):
        yield self.seen[cpu()].store(0, RELEASE)

    def online(self):
        current = yield self.current.load(RELAXED)
        yield self.seen[cpu()].store(current, RELAXED)
        # Announced before anything is read; and what is read belongs to this number or a later one.
        yield fence()

    def synchronize_rcu(self):
        # Not inside a reader.
        yield from self.offline()
        yield from self.lock.acquire()
        current = yield self.current.load(RELAXED)
        yield self.current.store(current + 1, RELEASE)
        # What was unlinked is unlinked for all before we look who is online.
        yield fence()
        for i in range(n_cpus()):
            while True:
                seen = yield self.seen[i].load(ACQUIRE)
                if seen == 0 or seen == current + 1:
                    break
                yield pause()
        yield from self.lock.release()
        yield from self.online()
