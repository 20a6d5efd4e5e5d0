"""Five wrong caches of decisions; the right one is the library's under a spinlock."""

from locksim.lang import ACQUIRE, RELAXED, alloc, free
from locksim.library.avc.decisions_spinlock import (
    N_SLOTS,
    DecisionEntry,
    DecisionsSpinlock,
)


class SplitDecision(DecisionsSpinlock):
    """Wrong: the two halves are written under the lock one after another, not together."""

    def replace(self, key, allowed, audit):
        yield from self.lock.acquire()
        entry = yield self.slots[key % N_SLOTS].load(RELAXED)
        if not entry:
            entry = yield alloc(DecisionEntry)
            yield entry.tag.store(key, RELAXED)
            yield self.slots[key % N_SLOTS].store(entry, RELAXED)
        yield entry.allowed.store(allowed, RELAXED)
        yield from self.lock.release()
        yield from self.lock.acquire()
        yield entry.audit.store(audit, RELAXED)
        yield entry.used.store(1, RELAXED)
        yield from self.lock.release()


class NeverMarks(DecisionsSpinlock):
    """Wrong: a lookup does not keep its entry from the next reclaim."""

    def lookup(self, key):
        decision = 0
        yield from self.lock.acquire()
        entry = yield self.slots[key % N_SLOTS].load(RELAXED)
        while entry and (yield entry.tag.load(RELAXED)) != key:
            entry = yield entry.next.load(RELAXED)
        if entry:
            allowed = yield entry.allowed.load(RELAXED)
            audit = yield entry.audit.load(RELAXED)
            decision = allowed + (audit << 32)
        yield from self.lock.release()
        return decision


class LooksFirst(DecisionsSpinlock):
    """Wrong: looks for the entry before it takes the lock, so two put one in."""

    def replace(self, key, allowed, audit):
        found = yield from self.lookup(key)
        yield from self.lock.acquire()
        first = yield self.slots[key % N_SLOTS].load(RELAXED)
        entry = first
        if not found:
            entry = yield alloc(DecisionEntry)
            yield entry.tag.store(key, RELAXED)
            yield entry.next.store(first, RELAXED)
            yield self.slots[key % N_SLOTS].store(entry, RELAXED)
        yield entry.allowed.store(allowed, RELAXED)
        yield entry.audit.store(audit, RELAXED)
        yield entry.used.store(1, RELAXED)
        yield from self.lock.release()


class CountsTooMany(DecisionsSpinlock):
    """Wrong: a reclaim counts the entries whose marks it takes away, too."""

    def reclaim(self):
        taken = 0
        yield from self.lock.acquire()
        for i in range(N_SLOTS):
            link = self.slots[i]
            entry = yield link.load(RELAXED)
            while entry:
                taken = taken + 1
                if (yield entry.used.load(RELAXED)):
                    yield entry.used.store(0, RELAXED)
                    link = entry.next
                else:
                    rest = yield entry.next.load(RELAXED)
                    yield link.store(rest, RELAXED)
                    yield free(entry)
                entry = yield link.load(RELAXED)
        yield from self.lock.release()
        return taken


class LooksUpUnlocked(DecisionsSpinlock):
    """Wrong: an entry is read that a reclaim frees at the same time."""

    def lookup(self, key):
        decision = 0
        entry = yield self.slots[key % N_SLOTS].load(ACQUIRE)
        while entry and (yield entry.tag.load(RELAXED)) != key:
            entry = yield entry.next.load(ACQUIRE)
        if entry:
            yield entry.used.store(1, RELAXED)
            allowed = yield entry.allowed.load(RELAXED)
            audit = yield entry.audit.load(RELAXED)
            decision = allowed + (audit << 32)
        return decision
