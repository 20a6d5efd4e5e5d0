from locksim.lang import *
from locksim.library.locks.rcu_qsbr import QSBR
from locksim.library.locks.ticket import TicketLock


class Entry(Struct):
    tag = word()
    decision = word()
    used = word()
    next = pointer("Entry")
    dead = pointer("Entry")


class RcuCache(DecisionCache):
    rcu = part(QSBR)
    lock = part(TicketLock, padded=True)
    first = pointer(Entry)

    def lookup(self, key):
        decision = 0
        entry = yield self.first.load(ACQUIRE)
        while entry and (yield entry.tag.load(RELAXED)) != key:
            entry = yield entry.next.load(ACQUIRE)
        if entry:
            yield entry.used.store(1, RELAXED)
            decision = yield entry.decision.load(RELAXED)
        return decision

    def replace(self, key, allowed, audit):
        new = yield alloc(Entry)
        yield new.tag.store(key, RELAXED)
        yield new.decision.store(allowed + (audit << 32), RELAXED)
        yield new.used.store(1, RELAXED)
        yield from self.lock.acquire()
        link = self.first
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
        dead = cast(Entry, NULL)
        yield from self.lock.acquire()
        link = self.first
        entry = yield link.load(RELAXED)
        while entry:
            if (yield entry.used.load(RELAXED)):
                yield entry.used.store(0, RELAXED)
                link = entry.next
            else:
                rest = yield entry.next.load(RELAXED)
                yield link.store(rest, RELEASE)
                yield entry.dead.store(dead, RELAXED)
                dead = entry
                taken = taken + 1
            entry = yield link.load(RELAXED)
        yield from self.lock.release()
        if dead:
            yield from self.rcu.synchronize_rcu()
        while dead:
            after = yield dead.dead.load(RELAXED)
            yield free(dead)
            dead = after
        return taken

    def quiescent(self):
        yield from self.rcu.quiescent()

    def offline(self):
        yield from self.rcu.offline()
