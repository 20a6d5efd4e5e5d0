"""Hemlock: a queue lock with one word for each CPU and one for the lock, and no nodes.

Mechanism. ``tail`` names the last CPU that came. ``acquire`` swaps itself in and waits until the
CPU before grants it the lock: until that CPU's ``grant`` word is set. Then it clears the word, to
say that it has seen it. ``release`` swaps ``tail`` back to NULL if no CPU came; otherwise it sets
its own grant and waits until the successor has cleared it. The handoff thus has an answer, and the
word is free for the next one when ``release`` returns.

Invariants. A CPU's grant is 0 except while its ``release`` waits for the answer. At most one CPU
reads it, the successor, and only these two write it.

Orders. The swap on ``tail`` must release as well as acquire: a successor may not read an old grant
of its predecessor, one that was answered long ago.

Cost in line transfers. Uncontended: none if this CPU had the lock last, else one. Contended, five
for each handoff whatever N is: one for ``tail``, one to set the own grant, one for the successor to
see it, one to clear it, and one for the releasing CPU to see that. The lock itself is one word;
a queue node would be two, and has to be found again at release. The answer is on the critical path
of the *releasing* CPU: it cannot leave before the successor has run.

Fairness. First come, first served, in the order of the swaps on ``tail``.

Not modelled. In the original a thread has one grant word for all locks together, and grants by
writing the lock's address: that is where the lock saves most. Here each lock has its own word for
each CPU. The form in which waiters poll with compare-and-swap, so that the line comes to them
writable at once (the paper's CTR).
"""

from locksim.lang import *

__all__ = ["HemlockLock"]


class Grant(Struct):
    """A CPU's word: 1 from its release until the successor has answered."""

    given = word()


class HemlockLock(Lock):
    """Queue lock without nodes (Dice and Kogan, SPAA 2021)."""

    tail = pointer(Grant)
    grants = percpu(Grant)

    def acquire(self):
        before = yield self.tail.swap(self.grants[cpu()], ACQ_REL)
        if before:
            while (yield before.given.load(ACQUIRE)) == 0:
                yield pause()
            yield before.given.store(0, RELEASE)

    def try_acquire(self):
        before = yield self.tail.compare_swap(NULL, self.grants[cpu()], ACQ_REL)
        return before == NULL

    def release(self):
        me = self.grants[cpu()]
        if (yield self.tail.compare_swap(me, NULL, RELEASE)) != me:
            yield me.given.store(1, RELEASE)
            while (yield me.given.load(ACQUIRE)):
                yield pause()
