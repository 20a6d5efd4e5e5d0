"""OSQ: an MCS queue that a waiter can leave, where Linux's sleeping locks let their waiters spin.

Mechanism. A CPU swaps its node into ``tail`` and links it behind the node before, as in ``mcs``,
and spins on ``locked`` of its own node. But it waits for a thread that may lose its CPU, and it may
be needed itself for another task. Then it must leave the queue from any place in it:

- Step A takes back the link from the node before, by a compare-and-swap of that node's ``next``
  from the own node to NULL. That node can then neither hand over nor leave: both need its ``next``.
  If the swap fails, either the own ``locked`` has been set, and the CPU is at the head and stays;
  or the node before is leaving, and its step C will write another ``previous``.
- Step B gets hold of the node behind. If there is none, ``tail`` goes back to the node before. If
  there is one, the own ``next`` is taken out, so that the node behind cannot do its step A.
- Step C links the two neighbours to one another.

``enter`` gives 1 at the head of the queue, and 0 where this CPU has left. ``acquire`` enters until
it gets to the head, which makes the queue a lock that can be compared with others.

When a CPU leaves. The kernel asks ``need_resched()`` in each iteration. Here every thread has a CPU
of its own, so nothing else needs that CPU, and the checker has no clock. So a wait decides by a
random number before it begins: one of ``resched_one_in`` looks once and leaves, the others stay. To
leave at a later look is the same to all other threads, since looks change nothing. The checker
tries both. In a simulation the parameter is an assumption. Tasks that share CPUs leave when their
slice is over (``locksim/library/kernel/task_mutex.py``).

Invariants. A node's ``next`` is NULL or the node behind; only who takes it out by an atomic
operation may act on it. A node that is leaving has its own ``next`` and its neighbour's link at
NULL, so neither neighbour can go before step C is over. Nodes are the CPUs' own for ever: who
follows an old ``previous`` finds a node whose ``next`` is not his, and looks again.

Orders. ``previous`` is written before the RELEASE that links the node: the node before may write
``previous`` in its step C as soon as it sees the link, and must be later. ``tail`` goes back by a
RELEASE: the next CPU that gets in links itself where step A has written NULL. ``locked`` is set by
a RELEASE and read by an ACQUIRE. Where Linux has full barriers, these orders do.

Cost in line transfers. Uncontended: none if this CPU was the last one, else one for ``tail``.
Contended: as many as ``mcs`` for those that stay, six for each handoff. But ``release`` begins at
``tail``, which all that come write, and not at its own node, so a handoff takes longer. To leave
costs the lines of both neighbours, or of one and ``tail``.

Proofs. Under c11 two threads that come once are proven. More are too many for the checker's memory,
since looks that order nothing may read many old values. The class claims sc and tso only.

Fairness. First come, first served, for those that stay. Who has left joins again at the end.

Not modelled. Linux has one node for each CPU for all queues, since a CPU spins in one at a time;
here each queue has nodes of its own. A virtual CPU that its hypervisor has stopped
(``vcpu_is_preempted``) is a reason to leave there, too.

Source: Linux 5.15, kernel/locking/osq_lock.c (Zijlstra, 2014). Queue locks that waiters can leave:
Scott and Scherer, "Scalable Queue-Based Spin Locks with Timeout", PPoPP 2001.
"""

from locksim.lang import *

__all__ = ["OptimisticSpinQueue", "SpinNode"]


class SpinNode(Struct):
    """A CPU's place in the queue (struct optimistic_spin_node); ``locked`` is 1 at its head."""

    next = pointer("SpinNode")
    previous = pointer("SpinNode")
    locked = word()


class OptimisticSpinQueue(Lock):
    """MCS queue that can be left (Linux 5.15, kernel/locking/osq_lock.c).

    Arguments:
        resched_one_in: one of so many waits ends at its first look, as if another task needed the
            CPU; 0: none.
    """

    MODELS = ("sc", "tso")
    METERED = {  # noqa: RUF012 - a declaration of the language, read as it stands
        "acquire": "acquire",
        "try_acquire": "try_acquire",
        "enter": "try_acquire",
        "release": "release",
    }
    resched_one_in = param(16)
    tail = pointer(SpinNode)
    nodes = percpu(SpinNode)

    def acquire(self):
        while not (yield from self.enter()):
            yield pause()

    def release(self):
        me = self.nodes[cpu()]
        if (yield self.tail.compare_swap(me, NULL, RELEASE)) == me:
            return
        after = yield me.next.swap(NULL, ACQUIRE)
        if not after:
            after = yield from self.take_next(me, cast(SpinNode, NULL))
        if after:
            yield after.locked.store(1, RELEASE)

    def enter(self):
        """Wait for the head of the queue: 1, or 0 if this CPU has left the queue."""
        me = self.nodes[cpu()]
        yield me.locked.store(0, RELAXED)
        yield me.next.store(NULL, RELAXED)
        before = yield self.tail.swap(me, ACQ_REL)
        if not before:
            return 1
        yield me.previous.store(before, RELAXED)
        yield before.next.store(me, RELEASE)
        served = yield from self.wait(me)
        if not served:
            served = yield from self.leave(me)
        return served

    def wait(self, me: SpinNode):
        """Spin: 1 at the head, 0 if the CPU is needed for something else."""
        needed = self.resched_one_in and random_below(self.resched_one_in) == 0
        if not needed:
            while not (yield me.locked.load(ACQUIRE)):
                yield pause()
        served = yield me.locked.load(ACQUIRE)
        return served

    def leave(self, me: SpinNode):
        """Leave the queue: 0, or 1 if this CPU got to the head meanwhile."""
        # Step A
        while True:
            before = yield me.previous.load(RELAXED)
            if (yield before.next.load(RELAXED)) == me:
                if (yield before.next.compare_swap(me, NULL, ACQ_REL)) == me:
                    break
            if (yield me.locked.load(ACQUIRE)):
                return 1
            yield pause()
        # Step B
        after = yield from self.take_next(me, before)
        # Step C
        if after:
            yield after.previous.store(before, RELAXED)
            yield before.next.store(after, RELEASE)
        return 0

    def take_next(self, me: SpinNode, before: SpinNode) -> SpinNode:
        # Take out the link to the node behind; NULL if there is none and the tail is `before` now.
        while True:
            if (yield self.tail.load(RELAXED)) == me:
                if (yield self.tail.compare_swap(me, before, ACQ_REL)) == me:
                    return cast(SpinNode, NULL)
            if (yield me.next.load(RELAXED)):
                after = yield me.next.swap(NULL, ACQUIRE)
                if after:
                    return after
            yield pause()
