"""Queued spinlock: an MCS queue behind one word, and a place for the first waiter in the word.

Mechanism. The word has three parts: the tail of the queue (the CPU's number + 1), the pending bit
and the locked byte. Below, (tail, pending, locked).

- No CPU there: ``acquire`` swaps (0,0,0) for (0,0,1). That is all when uncontended.
- Only a holder: the newcomer sets the pending bit, (0,0,1) to (0,1,1), spins on the word until the
  locked byte is 0, and takes the lock by turning pending into locked. It needs no node: two CPUs
  that compete do so on the lock's line alone.
- Another CPU waiting: the newcomer puts its node at the tail and waits on its own node until it is
  the head of the queue. The head spins on the word until holder and pending are gone, then sets
  locked; if it is the tail as well, it takes the tail out in the same swap. Otherwise it makes its
  successor the head, which begins to watch the word while this one is in.

``release`` takes the locked byte away, whichever CPU comes next: it need not look for a successor,
as ``mcs`` must, because the next one watches the word.

Invariants. At most one CPU is pending and at most one is the head: no more than two ever spin on
the word. Only three CPUs may set Locked: the pending one, the head while no CPU is pending, and
one that finds the word 0. A word with a tail gets no new pending bit.

Orders. Each way in ends with an ACQUIRE on the word: the first swap, the swap that sets pending (it
may find the lock free by then), the pending CPU's and the head's last load. Changing pending into
locked may then be RELAXED. Joining is an ACQ_REL, as in ``mcs``. ``release`` is a RELEASE.

Cost in line transfers. Uncontended as TAS: none if this CPU had the lock last, else one. With two
CPUs a handoff costs a few transfers of the lock's line and no others. With many CPUs the cost is
constant in N as for ``mcs``, but twice as much, some 12 for each handoff. A newcomer takes the
word's line with its first swap, looks at it again and joins at the tail. The head watches that
word, and fetches its line again each time. The gain is the size, 4 bytes, and the cheap case of two
CPUs.

Fairness. First come, first served from the second waiter on: a newcomer can overtake those who have
not yet joined, and the first swap succeeds whenever the word is 0, which it never is while a CPU
waits.

Not modelled. The parts of the word cannot be stored to by themselves here: words have no bytes. So
this is the form that Linux compiles where it has no such stores (for 16,384 CPUs and more, and
``queued_spin_unlock`` of asm-generic in 4.2): an atomic subtraction where x86 stores a zero byte, a
compare-and-swap loop where x86 exchanges the tail's 16 bits. On the simulated machine a release
therefore waits for its line and for the CPU's earlier stores, which a byte store in the store
buffer does not: the holder, not the next one, is delayed. Nested contexts: Linux has four nodes a
CPU, shared by all locks; here each lock has one. The bounded wait for a pending bit that is just
being handed over (4.18), and paravirtual locks.
"""

from locksim.lang import *

__all__ = ["QueuedSpinlock"]

LOCKED = 1
PENDING = 1 << 8
TAIL = 1 << 16


class QSpinNode(Struct):
    """One CPU's place in the queue."""

    next = pointer("QSpinNode")
    head = word()


class QueuedSpinlock(Lock):
    """Queued spinlock (Long and Zijlstra, Linux 4.2, kernel/locking/qspinlock.c)."""

    NEEDS_THREADS = 4
    """A holder, a pending CPU, and a queue of two: only then the head makes its successor one."""

    value = word()
    nodes = percpu(QSpinNode)

    def acquire(self):
        value = yield self.value.compare_swap(0, LOCKED, ACQUIRE)
        if value == 0:
            return
        yield pause()
        if value == PENDING:
            # It is just being handed over: (0,1,0) is about to become (0,0,1).
            while (yield self.value.load(RELAXED)) == PENDING:
                yield pause()
            value = yield self.value.load(RELAXED)
        while value == 0 or value == LOCKED:
            claimed = LOCKED
            if value == LOCKED:
                claimed = LOCKED | PENDING
            old = yield self.value.compare_swap(value, claimed, ACQUIRE)
            if old == value:
                if value == LOCKED:
                    yield from self.wait_as_pending()
                return
            value = old
        yield from self.wait_in_queue()

    def try_acquire(self):
        got = yield from self.take_if_free()
        return got

    def release(self):
        yield self.value.fetch_add(-LOCKED, RELEASE)

    def take_if_free(self):
        # A look first: an attempt that must fail need not take the line from those who wait.
        if (yield self.value.load(RELAXED)) != 0:
            return 0
        old = yield self.value.compare_swap(0, LOCKED, ACQUIRE)
        return old == 0

    def wait_as_pending(self):
        while (yield self.value.load(ACQUIRE)) & LOCKED:
            yield pause()
        yield self.value.fetch_add(LOCKED - PENDING, RELAXED)

    def wait_in_queue(self):
        node = self.nodes[cpu()]
        me = (cpu() + 1) * TAIL
        yield node.next.store(NULL, RELAXED)
        yield node.head.store(0, RELAXED)
        # The node's line was cold; perhaps the lock is free by now.
        if (yield from self.take_if_free()):
            return
        before = yield from self.join(me)
        if before:
            previous = self.nodes[before - 1]
            yield previous.next.store(node, RELEASE)
            while (yield node.head.load(ACQUIRE)) == 0:
                yield pause()
        yield from self.take_as_head(me)

    def join(self, me):
        # Swaps the tail alone, and gives the CPU that was there (+ 1). Release: the node's first
        # values are in place before anybody can find it.
        value = yield self.value.load(RELAXED)
        while True:
            old = yield self.value.compare_swap(value, me + value % TAIL, ACQ_REL)
            if old == value:
                return value // TAIL
            value = old

    def take_as_head(self, me):
        node = self.nodes[cpu()]
        while (yield self.value.load(ACQUIRE)) % TAIL != 0:
            yield pause()
        # No CPU but the head can set locked now, so the word is (tail,0,0) until we do.
        if (yield self.value.compare_swap(me, LOCKED, RELAXED)) == me:
            return
        yield self.value.fetch_add(LOCKED, RELAXED)
        after = yield node.next.load(ACQUIRE)
        while not after:
            yield pause()
            after = yield node.next.load(ACQUIRE)
        yield after.head.store(1, RELEASE)
