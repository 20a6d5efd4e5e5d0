"""K42's MCS variant: a queue lock with the plain interface, whose waiters bring nodes for the wait.

Mechanism. The lock itself is a node, ``queue``: its ``tail`` points to the last waiter, or to the
lock's own node if a CPU holds the lock and none waits; NULL if it is free. Its ``next`` points to
the first waiter. A waiter puts its node at the tail by compare-and-swap, links itself behind the
node that it found, and spins on its own node. When it has the lock it takes its node out of the
queue: it copies its successor into the lock's ``next``, or, if there is none, swings the tail from
its node to the lock's. So the node is free again as soon as ``acquire`` returns, and in the kernel
that the lock comes from it lies on the waiter's stack.

In a waiter's node ``tail`` says that it waits (it points to the node itself), and the holder clears
it. The original uses the pointer 1 for that.

Invariants. The holder's node is never in the queue. ``queue.next`` is NULL or the first waiter, and
only the holder, or the waiter that found the lock's own node, writes it. While the lock is free
both words are NULL.

Cost in line transfers. Uncontended: none if this CPU had the lock last, else one, with two
compare-and-swaps; no node is touched. Contended, a handoff takes those of ``mcs``, and the lock's
line comes to the new holder once more to take its node out. That is the price of the plain
interface: ``mcs`` as the literature has it makes the caller carry a node. And joining is a
compare-and-swap that can fail: newcomers that fail take the line from the holder, which needs it to
release. With many CPUs that come often this grows with N: 56 CPUs of xeon-8176-8x28 that think for
400 ns need 90 transfers, with ``mcs`` 6.

Fairness. First come, first served, in the order of the compare-and-swaps on ``tail``. A CPU whose
compare-and-swap fails begins anew, so unlike a swap joining has no bound.

Not modelled. Nodes on the stack: each lock has one for each CPU here.
"""

from locksim.lang import *

__all__ = ["K42Lock"]


class K42Node(Struct):
    """The lock's own node, or a waiter's place in the queue."""

    tail = pointer("K42Node")
    next = pointer("K42Node")


class K42Lock(Lock):
    """MCS with the plain interface (Auslander et al., US patent 2003/0200457; K42, IBM)."""

    queue = part(K42Node)
    nodes = percpu(K42Node)

    def acquire(self):
        while True:
            last = yield self.queue.tail.load(RELAXED)
            if not last:
                if (yield self.queue.tail.compare_swap(NULL, self.queue, ACQUIRE)) == NULL:
                    return
            else:
                node = self.nodes[cpu()]
                yield node.next.store(NULL, RELAXED)
                yield node.tail.store(node, RELAXED)
                # Release: the two stores above are in place before the node can be found.
                if (yield self.queue.tail.compare_swap(last, node, ACQ_REL)) == last:
                    yield last.next.store(node, RELEASE)
                    while (yield node.tail.load(ACQUIRE)):
                        yield pause()
                    yield from self.take_out(node)
                    return
            yield pause()

    def take_out(self, node: K42Node):
        after = yield node.next.load(ACQUIRE)
        if not after:
            yield self.queue.next.store(NULL, RELAXED)
            if (yield self.queue.tail.compare_swap(node, self.queue, ACQ_REL)) == node:
                return
            after = yield from self.wait_for_link(node)
        yield self.queue.next.store(after, RELAXED)

    def wait_for_link(self, node: K42Node) -> K42Node:
        after = yield node.next.load(ACQUIRE)
        while not after:
            yield pause()
            after = yield node.next.load(ACQUIRE)
        return after

    def try_acquire(self):
        before = yield self.queue.tail.compare_swap(NULL, self.queue, ACQUIRE)
        return before == NULL

    def release(self):
        after = yield self.queue.next.load(ACQUIRE)
        if not after:
            if (yield self.queue.tail.compare_swap(self.queue, NULL, RELEASE)) == self.queue:
                return
            after = yield from self.wait_for_link(self.queue)
        # The next holder writes queue.next before it may be read again.
        yield after.tail.store(NULL, RELEASE)
