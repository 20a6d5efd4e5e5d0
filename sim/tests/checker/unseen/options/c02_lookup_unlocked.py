from locksim.lang import *
from locksim.library.locks.ticket import TicketLock


class Entry(Struct):
    tag = word()
    allowed = word()
    audit = word()
    used = word()
    next = pointer("Entry")


class LookupUnlocked(DecisionCache):
    lock = part(TicketLock, padded=True)
    first = pointer(Entry)

    def find(self, key):
        entry = yield self.first.load(RELAXED)
        while entry and (yield entry.tag.load(RELAXED)) != key:
            entry = yield entry.next.load(RELAXED)
        return entry

    def lookup(self, key):
        decision = 0
        entry = yield from self.find(key)
        if entry:
            yield entry.used.store(1, RELAXED)
            allowed = yield entry.allowed.load(RELAXED)
            audit = yield entry.audit.load(RELAXED)
            decision = allowed + (audit << 32)
        return decision

    def replace(self, key, allowed, audit):
        yield from self.lock.acquire()
        entry = yield from self.find(key)
        if not entry:
            entry = yield alloc(Entry)
            first = yield self.first.load(RELAXED)
            yield entry.tag.store(key, RELAXED)
            yield entry.next.store(first, RELAXED)
            yield self.first.store(entry, RELEASE)
        yield entry.allowed.store(allowed, RELAXED)
        yield entry.audit.store(audit, RELAXED)
        yield entry.used.store(1, RELAXED)
        yield from self.lock.release()

    def reclaim(self):
        taken = 0
        yield from self.lock.acquire()
        link = self.first
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
        yield pause()

    def offline(self):
        yield pause()
