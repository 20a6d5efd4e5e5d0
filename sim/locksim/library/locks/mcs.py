"""MCS lock: a queue of waiters, each spinning on a word of its own.

Mechanism. ``tail`` points to the last node of the queue. ``acquire`` swaps its own node in; the
node that was last before is its predecessor. It links itself behind that node and spins on its
*own* ``locked`` word. ``release`` hands the lock over by clearing the successor's word. If there is
no successor it swaps ``tail`` back to NULL. If that fails a successor is just linking itself in, so
it waits for the link.

Invariants. ``tail`` is NULL exactly while no CPU holds or waits. Each node in the queue but the
last is, or will shortly be, linked to its successor. A ``locked`` word is set by its owner before
it is linked, and cleared once, by its predecessor.

Cost in line transfers. Uncontended: none if this CPU had the lock last, else one for ``tail``;
releasing is a second operation on the same line. Contended, five or six for each handoff whatever N
is: one for ``tail``, and the rest to get the own node back, to link into the predecessor's, to read
the link, to clear the successor's word and to see it cleared. Only the swap is on a line that all
share, and it is out of the way before the handoff.

Fairness. First come, first served, in the order of the swaps on ``tail``.

Nesting. Each lock has one node for each CPU, so a CPU may hold many *different* MCS locks, but
must not take the same one again (from an interrupt, say). Linux shares four nodes per CPU among
all its queued locks, one for each context; that saves memory, not transfers.

Not modelled. Waiters that are preempted: the threads of the engines are pinned.
"""

from locksim.lang import *

__all__ = ["MCSLock", "QNode"]


class QNode(Struct):
    """One waiter's place in the queue."""

    next = pointer("QNode")
    locked = word()


class MCSLock(Lock):
    """Queue lock with local spinning (Mellor-Crummey and Scott, ACM TOCS 9(1), 1991)."""

    tail = pointer(QNode)
    nodes = percpu(QNode)

    def acquire(self):
        node = self.nodes[cpu()]
        yield node.next.store(NULL, RELAXED)
        # Release: the NULL above is in place before a successor can find the node.
        before = yield self.tail.swap(node, ACQ_REL)
        if before:
            yield node.locked.store(1, RELAXED)
            yield before.next.store(node, RELEASE)
            while (yield node.locked.load(ACQUIRE)) != 0:
                yield pause()

    def try_acquire(self):
        node = self.nodes[cpu()]
        yield node.next.store(NULL, RELAXED)
        before = yield self.tail.compare_swap(NULL, node, ACQ_REL)
        return before == NULL

    def release(self):
        node = self.nodes[cpu()]
        # Acquire: the successor's own "locked = 1" comes before our 0.
        after = yield node.next.load(ACQUIRE)
        if not after:
            if (yield self.tail.compare_swap(node, NULL, RELEASE)) == node:
                return
            after = yield node.next.load(ACQUIRE)
            while not after:
                yield pause()
                after = yield node.next.load(ACQUIRE)
        yield after.locked.store(0, RELEASE)
