"""CNA: an MCS queue in which waiters of another socket are put aside for a while.

Mechanism. One queue, one word for the lock, as ``mcs``. But ``release`` looks for the next waiter
of its *own* socket. Those that stand before it move to a second queue, whose head goes with the
lock from holder to holder. When no near waiter is left, or after ``batch`` near handoffs in a row,
the second queue goes back in front of the first one, and its head gets the lock.

The head of the second queue keeps its ``last`` node, so that it takes one step to join the two.

Invariants. Each waiter is in exactly one of the two queues, and only the holder changes either,
but for the tail of the first one. A node has its ``next`` set once by its successor; only then does
the holder change it. The second queue is not empty while the holder's ``aside`` is not NULL.

Cost in line transfers. Uncontended: as ``mcs``, none if this CPU had the lock last, else one.
Contended, one or two more than ``mcs`` for each handoff, but most of them stay within the socket,
and the protected data stay in its caches. The search reads the node of each waiter that it passes:
once, since they are put aside. A waiter notes its socket in its node; the lock itself remains one
word, where ``cohort`` and ``hmcs`` need one for each socket.

Fairness. Long-term only: a waiter of another socket waits for ``batch`` handoffs at most before its
queue goes first. Within a socket it is first come, first served.

Not modelled. The paper's lock decides by a random number when the second queue goes first; Linux's
patch by time.
"""

from locksim.lang import *

__all__ = ["CNALock"]


class CNANode(Struct):
    """A waiter's place.

    ``go`` is 0 while its CPU waits, then the number of near handoffs in a row, plus 1. ``aside`` is
    the head of the second queue, in the holder's node; ``last`` its last node, in the head's.
    """

    next = pointer("CNANode")
    go = word()
    socket = word()
    aside = pointer("CNANode")
    last = pointer("CNANode")


class CNALock(Lock):
    """Compact NUMA-aware queue lock (Dice and Kogan, EuroSys 2019).

    Arguments:
        batch: near handoffs in a row at most.
    """

    NEEDS_THREADS = 4
    """A holder whose next near waiter stands behind two far ones: both are put aside together."""

    batch = param(64)
    tail = pointer(CNANode)
    nodes = percpu(CNANode)

    def acquire(self):
        me = self.nodes[cpu()]
        yield me.next.store(NULL, RELAXED)
        yield me.go.store(0, RELAXED)
        yield me.aside.store(NULL, RELAXED)
        before = yield self.tail.swap(me, ACQ_REL)
        if before:
            yield me.socket.store(node(), RELAXED)
            yield before.next.store(me, RELEASE)
            while (yield me.go.load(ACQUIRE)) == 0:
                yield pause()
        else:
            yield me.go.store(1, RELAXED)

    def try_acquire(self):
        me = self.nodes[cpu()]
        yield me.next.store(NULL, RELAXED)
        yield me.go.store(1, RELAXED)
        yield me.aside.store(NULL, RELAXED)
        before = yield self.tail.compare_swap(NULL, me, ACQ_REL)
        return before == NULL

    def release(self):
        me = self.nodes[cpu()]
        after = yield me.next.load(ACQUIRE)
        if not after:
            if (yield from self.leave_empty(me)):
                return
            after = yield me.next.load(ACQUIRE)
            while not after:
                yield pause()
                after = yield me.next.load(ACQUIRE)
        yield from self.hand_over(me, after)

    def leave_empty(self, me: CNANode):
        # The first queue ends here; the second one becomes the first, if there is one.
        aside = yield me.aside.load(RELAXED)
        if not aside:
            old = yield self.tail.compare_swap(me, NULL, RELEASE)
            return old == me
        last = yield aside.last.load(RELAXED)
        if (yield self.tail.compare_swap(me, last, RELEASE)) == me:
            yield aside.go.store(1, RELEASE)
            return 1
        return 0

    def hand_over(self, me: CNANode, after: CNANode):
        go = yield me.go.load(RELAXED)
        if go <= self.batch:
            near = yield from self.find_near(me, after)
            if near:
                aside = yield me.aside.load(RELAXED)
                yield near.aside.store(aside, RELAXED)
                yield near.go.store(go + 1, RELEASE)
                return
        aside = yield me.aside.load(RELAXED)
        if aside:
            last = yield aside.last.load(RELAXED)
            yield last.next.store(after, RELAXED)
            after = aside
        yield after.go.store(1, RELEASE)

    def find_near(self, me: CNANode, first: CNANode) -> CNANode:
        # The first waiter of this socket; those before it are put aside. NULL if there is none.
        mine = node()
        if (yield first.socket.load(RELAXED)) == mine:
            return first
        last = first
        at = yield first.next.load(ACQUIRE)
        while at:
            if (yield at.socket.load(RELAXED)) == mine:
                yield from self.put_aside(me, first, last)
                return at
            last = at
            at = yield at.next.load(ACQUIRE)
        return at

    def put_aside(self, me: CNANode, first: CNANode, last: CNANode):
        yield last.next.store(NULL, RELAXED)
        head = yield me.aside.load(RELAXED)
        if head:
            end = yield head.last.load(RELAXED)
            yield end.next.store(first, RELAXED)
        else:
            head = first
            yield me.aside.store(head, RELAXED)
        yield head.last.store(last, RELAXED)
