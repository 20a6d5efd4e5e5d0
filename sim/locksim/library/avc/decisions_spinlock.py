"""A cache of decisions under one spinlock: the least that works.

Mechanism. A few hash slots, each with a chain of entries. Everything, a lookup too, happens under
the one lock; so an entry that is taken out of its chain can be freed at once, since no other CPU
can be looking at it, and an entry may be changed in place.

Reclaim is by second chance: a lookup marks its entry, ``reclaim`` takes the marks away and frees
the entries that had none. Only a missing mark is stored, so that a hit writes the lock's line and
no other.

Cost in line transfers. That of the lock, for each lookup.

Fairness. That of the lock.

Not modelled. A bound on the number of entries: the CPU that fills the cache calls ``reclaim``.
"""

from locksim.lang import *
from locksim.library.locks.ttas import TTASLock

__all__ = ["DecisionsSpinlock"]

N_SLOTS = 4


class DecisionEntry(Struct):
    """A decision and its key, the tag."""

    tag = word()
    allowed = word()
    audit = word()
    used = word()
    next = pointer("DecisionEntry")


class DecisionsSpinlock(DecisionCache):
    """Decisions under one spinlock (the access vector cache of Linux 2.6.8 in small)."""

    lock = part(TTASLock, padded=True)
    slots = array(N_SLOTS, pointer(DecisionEntry))

    def lookup(self, key):
        decision = 0
        yield from self.lock.acquire()
        entry = yield self.slots[key % N_SLOTS].load(RELAXED)
        while entry and (yield entry.tag.load(RELAXED)) != key:
            entry = yield entry.next.load(RELAXED)
        if entry:
            if not (yield entry.used.load(RELAXED)):
                yield entry.used.store(1, RELAXED)
            allowed = yield entry.allowed.load(RELAXED)
            audit = yield entry.audit.load(RELAXED)
            decision = allowed + (audit << 32)
        yield from self.lock.release()
        return decision

    def replace(self, key, allowed, audit):
        yield from self.lock.acquire()
        link = self.slots[key % N_SLOTS]
        entry = yield link.load(RELAXED)
        while entry and (yield entry.tag.load(RELAXED)) != key:
            link = entry.next
            entry = yield link.load(RELAXED)
        if not entry:
            entry = yield alloc(DecisionEntry)
            if entry:
                yield entry.tag.store(key, RELAXED)
                yield link.store(entry, RELAXED)
        # Without memory the decision is not remembered, which denies nothing.
        if entry:
            yield entry.allowed.store(allowed, RELAXED)
            yield entry.audit.store(audit, RELAXED)
            yield entry.used.store(1, RELAXED)
        yield from self.lock.release()

    def reclaim(self):
        taken = 0
        yield from self.lock.acquire()
        for i in range(N_SLOTS):
            link = self.slots[i]
            entry = yield link.load(RELAXED)
            while entry:
                if (yield entry.used.load(RELAXED)):
                    yield entry.used.store(0, RELAXED)
                    link = entry.next
                else:
                    rest = yield entry.next.load(RELAXED)
                    yield link.store(rest, RELAXED)
                    yield free(entry)
                    taken = taken + 1
                entry = yield link.load(RELAXED)
        yield from self.lock.release()
        return taken

    def quiescent(self):
        # No query runs: under the lock there is no reader to wait for.
        yield pause()

    def offline(self):
        yield pause()
