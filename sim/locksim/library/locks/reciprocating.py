"""Reciprocating lock: arrivals are a stack of one word, served in batches, newest first.

Mechanism. ``arrivals`` points to the last CPU that came. ``acquire`` swaps in its own element and
remembers the element that was there: its successor in the stack, which it will serve. If there was
none it has the lock. Otherwise it waits at its ``gate``. ``release`` opens the gate of the
successor, if there is one. If there is none the batch is over, and ``release`` takes all that came
meanwhile as the next batch, by one swap, and opens the gate of its newest; or it frees the lock if
none came.

A batch ends at an element whose owner was served before: the one that held the lock when the batch
came. That address goes from gate to gate, so that the last of a batch knows that it is the last.
While a batch is served ``arrivals`` points to ``taken``, an element that stands for "held, and none
has come since".

Invariants. ``arrivals`` is NULL exactly while the lock is free. The elements of a batch are linked
only in the registers of their owners: no CPU reads another's element but to open its gate.

Cost in line transfers. Uncontended: none if this CPU had the lock last, else one. Contended, about
four for each handoff whatever N is: one for ``arrivals``, one to open the gate, one to see it and
one to clear it for the next time. ``release`` need not touch the word that arrivals swap, except
once for each batch, and reads no line that another CPU wrote.

Fairness. A CPU that waits is overtaken at most once by each other: those who come later join the
next batch. Within a batch the newest goes first, so the order is that of a stack, batch by batch.

Not modelled. Waiters that sleep.
"""

from locksim.lang import *

__all__ = ["ReciprocatingLock"]


class Element(Struct):
    """One CPU's place. ``gate`` is where its batch ends, once it may go on; NULL before.

    ``after`` and ``end`` keep for ``release`` whom it serves, and where the batch ends.
    """

    gate = pointer("Element")
    after = pointer("Element")
    end = pointer("Element")


class ReciprocatingLock(Lock):
    """Stack of arrivals, served in batches (Dice and Kogan, PPoPP 2025)."""

    NEEDS_THREADS, NEEDS_ROUNDS = 3, 2
    """A thread that comes back after a try finds what the try has left in its element."""

    arrivals = pointer(Element, padded=True)
    taken = part(Element)
    elements = percpu(Element)

    def acquire(self):
        me = self.elements[cpu()]
        yield me.gate.store(NULL, RELAXED)
        after = yield self.arrivals.swap(me, ACQ_REL)
        end = me
        if after:
            if after == self.taken:
                after = NULL
            while not (yield me.gate.load(ACQUIRE)):
                yield pause()
            end = yield me.gate.load(RELAXED)
            if after == end:
                # Served already: this CPU is the last of the batch.
                after = NULL
                end = self.taken
        yield me.after.store(after, RELAXED)
        yield me.end.store(end, RELAXED)

    def try_acquire(self):
        me = self.elements[cpu()]
        yield me.gate.store(NULL, RELAXED)
        before = yield self.arrivals.compare_swap(NULL, me, ACQ_REL)
        if before:
            return 0
        yield me.after.store(NULL, RELAXED)
        yield me.end.store(me, RELAXED)
        return 1

    def release(self):
        me = self.elements[cpu()]
        after = yield me.after.load(RELAXED)
        end = yield me.end.load(RELAXED)
        if not after:
            if (yield self.arrivals.compare_swap(end, NULL, RELEASE)) == end:
                return
            after = yield self.arrivals.swap(self.taken, ACQUIRE)
        yield after.gate.store(end, RELEASE)
