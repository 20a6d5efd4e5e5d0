"""HMCS: MCS queues in a tree, here one for each socket and one above them.

Mechanism. A CPU joins its socket's queue. The first one there goes on to the upper queue, in which
the socket has one node; when that is served, the CPU is in. ``release`` hands over within the
socket if a CPU waits there: the successor learns by one store that it is in, and how many handoffs
there were in a row. If none waits, or after ``batch`` of them, the upper queue goes on first; then
the next one of the socket, if there is one, is told to go and join the upper queue itself.

Invariants. A node's ``status`` is WAIT until its predecessor says otherwise: JOIN_ABOVE, or the
number of critical sections that the socket has had in a row. The socket's node in the upper queue
belongs to the head of the socket's queue.

Cost in line transfers. A handoff within a socket is that of ``mcs``, all of it within the socket.
Unlike ``cohort`` waiters spin on lines of their own, so the cost does not grow with the CPUs of a
socket. One that goes to another socket costs two handoffs of ``mcs``. Uncontended: a CPU passes
both queues, two swaps and two compare-and-swaps, twice the cost of ``mcs``.

Fairness. First come, first served within a socket and between sockets, with up to ``batch``
critical sections at a time.

A thread that holds the lock must stay on its CPU.

Not modelled. More than two levels (the paper has any number, and a fast path for few waiters).
"""

from locksim.lang import *

__all__ = ["HMCSLock"]

WAIT = 0
FIRST = 1
JOIN_ABOVE = -1


class HMCSNode(Struct):
    """A CPU's place in its socket's queue, or a socket's place in the upper one."""

    next = pointer("HMCSNode")
    status = word()


class Queue(Struct):
    """A queue of waiters, as that of ``mcs``."""

    tail = pointer(HMCSNode)


class Socket(Struct):
    """A socket's queue, and its node in the upper one."""

    queue = part(Queue)
    node = part(HMCSNode)


class HMCSLock(Lock):
    """Hierarchical MCS lock of two levels (Chabbi, Fagan and Mellor-Crummey, PPoPP 2015).

    Arguments:
        batch: critical sections of a socket in a row at most.
    """

    batch = param(64)
    upper = part(Queue, padded=True)
    lower = pernode(Socket)
    nodes = percpu(HMCSNode)

    def acquire(self):
        mine, me = self.lower[node()], self.nodes[cpu()]
        if (yield from self.join(mine.queue, me)) == JOIN_ABOVE:
            yield me.status.store(FIRST, RELAXED)
            yield from self.join(self.upper, mine.node)

    def release(self):
        mine, me = self.lower[node()], self.nodes[cpu()]
        sections = yield me.status.load(RELAXED)
        if sections < self.batch:
            after = yield me.next.load(ACQUIRE)
            if after:
                yield after.status.store(sections + 1, RELEASE)
                return
        yield from self.leave(self.upper, mine.node, FIRST)
        yield from self.leave(mine.queue, me, JOIN_ABOVE)

    def join(self, queue: Queue, node: HMCSNode):
        # Gives the node's status once it is the head of the queue.
        yield node.next.store(NULL, RELAXED)
        yield node.status.store(WAIT, RELAXED)
        before = yield queue.tail.swap(node, ACQ_REL)
        if not before:
            return JOIN_ABOVE
        yield before.next.store(node, RELEASE)
        while (yield node.status.load(ACQUIRE)) == WAIT:
            yield pause()
        status = yield node.status.load(RELAXED)
        return status

    def leave(self, queue: Queue, node: HMCSNode, status):
        after = yield node.next.load(ACQUIRE)
        if not after:
            if (yield queue.tail.compare_swap(node, NULL, RELEASE)) == node:
                return
            after = yield node.next.load(ACQUIRE)
            while not after:
                yield pause()
                after = yield node.next.load(ACQUIRE)
        yield after.status.store(status, RELEASE)
