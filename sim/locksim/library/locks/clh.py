"""CLH lock: a queue without links, each waiter spinning on its predecessor's node.

Mechanism. ``tail`` points to the last node of the queue. ``acquire`` marks its own node locked,
swaps it in and spins on the node that was there before. ``release`` unmarks the node and takes the
predecessor's in exchange: no other CPU looks at that one any more.

Invariants. The CPUs and the lock own N + 1 nodes together; at rest each CPU has one and ``tail``
has the last, so ``tail`` is never NULL. A node is locked exactly while its CPU waits or holds.
At most one CPU, the successor, reads it, and that CPU is the next to own it.

Cost in line transfers. Uncontended: none if this CPU goes on having the lock, else three for each
move of the lock to another CPU: ``tail``, the node found there, and later the right to write to
that node, which is now this CPU's. Contended, five for each handoff whatever N is: one to mark the
node, one for ``tail``, one to read the predecessor's mark, one to clear it and one to see it
cleared. Only the swap is on a line that all share. The handoff itself is the last two; unlike MCS,
``release`` need not read first which CPU comes next. The words of ``mine`` and ``before`` stay with
their CPU.

Fairness. First come, first served, in the order of the swaps on ``tail``.

Nesting. Each lock has its own nodes, so a CPU may hold many different CLH locks, but must not take
the same one again.

No ``try_acquire``. It would be wrong to look at ``tail``'s node and swing ``tail`` if that node is
unlocked: in between the same node may have been released, reused, and be the tail again, locked.

Not modelled. Waiters that are preempted: the threads of the engines are pinned. Nodes that a
longer-lived lock takes over from a thread that ends.
"""

from locksim.lang import *

__all__ = ["CLHLock", "Node"]


class Node(Struct):
    """One place in the queue; it changes hands at every release."""

    locked = word()


class CLHLock(Lock):
    """Queue lock without links (Craig, UW TR 93-02-02, 1993; Magnusson et al., IPPS 1994)."""

    tail = pointer(Node, padded=True)
    spare = part(Node, padded=True)
    nodes = percpu(Node)
    mine = percpu(pointer(Node))
    before = percpu(pointer(Node))

    def setup(self):
        yield self.tail.store(self.spare, RELAXED)
        for i in range(n_cpus()):
            yield self.mine[i].store(self.nodes[i], RELAXED)

    def acquire(self):
        node = yield self.mine[cpu()].load(RELAXED)
        yield node.locked.store(1, RELAXED)
        # Release: the 1 above is in place before a successor can find the node.
        before = yield self.tail.swap(node, ACQ_REL)
        yield self.before[cpu()].store(before, RELAXED)
        while (yield before.locked.load(ACQUIRE)) != 0:
            yield pause()

    def release(self):
        node = yield self.mine[cpu()].load(RELAXED)
        before = yield self.before[cpu()].load(RELAXED)
        yield self.mine[cpu()].store(before, RELAXED)
        yield node.locked.store(0, RELEASE)
