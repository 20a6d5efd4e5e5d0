"""A cache of decisions under RCU: the solution."""

from locksim.lang import (
    ACQUIRE,
    NULL,
    RELAXED,
    RELEASE,
    DecisionCache,
    Struct,
    alloc,
    array,
    free,
    part,
    pointer,
    word,
)
from locksim.library.locks.rcu_qsbr import QSBR
from locksim.library.locks.ttas import TTASLock

N_SLOTS = 4


class Entry(Struct):
    """A decision and its key, the tag. After its publication only `next` and `used` change."""

    tag = word()
    allowed = word()
    audit = word()
    used = word()
    next = pointer("Entry")
    gone = pointer("Entry")


class Cache(DecisionCache):
    """Readers follow links and write nothing; writers copy, publish, wait and free."""

    slots = array(N_SLOTS, pointer(Entry))
    lock = part(TTASLock, padded=True)
    rcu = part(QSBR, padded=True)

    def lookup(self, key):
        decision = 0
        yield from self.rcu.read_lock()
        entry = yield self.slots[key % N_SLOTS].load(ACQUIRE)
        while entry and (yield entry.tag.load(RELAXED)) != key:
            entry = yield entry.next.load(ACQUIRE)
        if entry:
            if not (yield entry.used.load(RELAXED)):
                yield entry.used.store(1, RELAXED)
            allowed = yield entry.allowed.load(RELAXED)
            audit = yield entry.audit.load(RELAXED)
            decision = allowed + (audit << 32)
        yield from self.rcu.read_unlock()
        return decision

    def replace(self, key, allowed, audit):
        new = yield alloc(Entry)
        if not new:
            return
        yield new.tag.store(key, RELAXED)
        yield new.allowed.store(allowed, RELAXED)
        yield new.audit.store(audit, RELAXED)
        yield new.used.store(1, RELAXED)
        yield from self.lock.acquire()
        link = self.slots[key % N_SLOTS]
        old = yield link.load(RELAXED)
        while old and (yield old.tag.load(RELAXED)) != key:
            link = old.next
            old = yield link.load(RELAXED)
        if old:
            rest = yield old.next.load(RELAXED)
            yield new.next.store(rest, RELAXED)
        yield link.store(new, RELEASE)
        yield from self.lock.release()
        if old:
            yield from self.rcu.synchronize_rcu()
            yield free(old)

    def reclaim(self):
        taken = 0
        gone = NULL
        yield from self.lock.acquire()
        for i in range(N_SLOTS):
            link = self.slots[i]
            entry = yield link.load(RELAXED)
            while entry:
                if (yield entry.used.load(RELAXED)):
                    yield entry.used.store(0, RELAXED)
                    link = entry.next
                else:
                    # `next` stays: a reader may stand on this entry and has to find its way on.
                    rest = yield entry.next.load(RELAXED)
                    yield link.store(rest, RELEASE)
                    yield entry.gone.store(gone, RELAXED)
                    gone = entry
                    taken = taken + 1
                entry = yield link.load(RELAXED)
        yield from self.lock.release()
        if gone:
            yield from self.rcu.synchronize_rcu()
        while gone:
            rest = yield gone.gone.load(RELAXED)
            yield free(gone)
            gone = rest
        return taken

    def quiescent(self):
        yield from self.rcu.quiescent()

    def offline(self):
        yield from self.rcu.offline()
