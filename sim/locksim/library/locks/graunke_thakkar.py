"""Graunke and Thakkar's array lock: wait for the flag of the CPU before, which never moves.

Mechanism. Each CPU has a flag of its own in an array. ``tail`` names the last CPU that came, and
the value its flag has while it has not released. ``acquire`` swaps in its own pair and waits while
the flag of the CPU before has that value. ``release`` flips the own flag. So a flag need not be set
back: the next round uses the other value.

Invariants. ``tail`` is a CPU's number times 2, plus the value that its flag had when it came. A
flag is written by its CPU only, once for each acquisition. A CPU's flag has one reader at most: the
one that came next.

Cost in line transfers. Uncontended: none if this CPU goes on having the lock, else two for each
move of the lock to another CPU: ``tail`` and the flag found there. Contended, four for each handoff
whatever N is: one for ``tail``, one to read the flag before, one to flip it and one to see it
flipped. Anderson's lock needs a modulo and clears flags; here the flag is the same line each time.
On machines without caches each CPU would wait in another's memory; ``mcs`` waits in its own.

Fairness. First come, first served, in the order of the swaps on ``tail``.

No ``try_acquire``, for the same reason as in ``clh``: the flag found may have been flipped twice in
between.

Not modelled. The 1990 code packs the flag's address and value into one word, as here the number.
"""

from locksim.lang import *

__all__ = ["GraunkeThakkarLock"]


class GraunkeThakkarLock(Lock):
    """Array lock that waits at its predecessor (Graunke and Thakkar, Computer 23(6), 1990)."""

    tail = word(padded=True)
    flags = percpu(word(1))  # CPU 0 with value 0, as tail says at first: it has released

    def acquire(self):
        me = cpu()
        flag = yield self.flags[me].load(RELAXED)
        before = yield self.tail.swap(2 * me + flag, ACQ_REL)
        while (yield self.flags[before // 2].load(ACQUIRE)) == before % 2:
            yield pause()

    def release(self):
        me = cpu()
        flag = yield self.flags[me].load(RELAXED)
        yield self.flags[me].store(1 - flag, RELEASE)
