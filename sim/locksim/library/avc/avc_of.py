"""An access vector cache made of any ``DecisionCache``: what the kernel's callers see of it.

Mechanism. A check packs its subject, object and class into one key and looks it up. On a miss the
security server computes, and its decision is put into the cache; after some insertions of its own a
CPU reclaims. An update reads the decision and replaces it by one that grants more.

The second half of a decision is the seal on the first: a number that follows from the key, the
first half and ``salt``. Every decision that is found is compared with its seal. So a cache stops
the run if it gives half an old and half a new decision, another key's decision, or one that was
never put in.

Invariants. None of its own.

Cost in line transfers. Those of the cache; the count of insertions is each CPU's own.

Updates may be lost. A ``DecisionCache`` replaces without a condition, so of two changes of one key
at a time, or of an update and a miss, the one that was read first can be overwritten. A lock here
would prevent that, and would be measured instead of the cache. The test clients ask for what is
left: an answer is one that some of the updates leave, and an update beside no other is not lost.

Not modelled. A bound on the number of entries: between two reclaims each CPU may add
``reclaim_every``.
"""

from locksim.lang import *
from locksim.library.avc.avc import ALL_BITS, AVC
from locksim.library.avc.decisions_spinlock import DecisionsSpinlock

__all__ = ["AvcOf"]


class AvcOf(AVC):
    """An AVC that keeps its decisions in a cache of one's choice.

    Arguments:
        salt: of the seals; without it no cache can make up a decision.
        reclaim_every: insertions of one CPU after which it reclaims.
    """

    UPDATES_MAY_BE_LOST = 1
    salt = param(1)
    reclaim_every = param(16)
    cache = part(DecisionsSpinlock, padded=True)
    insertions = percpu(word())

    def has_perm(self, ssid, tsid, tclass, requested):
        if self.check_ps:
            yield compute(self.check_ps)
        if self.search_ps:
            yield compute(self.search_ps)
        key = self.key_of(ssid, tsid, tclass)
        found = yield from self.cache.lookup(key)
        if found:
            allowed = found & ALL_BITS
            assert found >> 32 == self.seal(key, allowed)
        else:
            allowed = yield from self.compute_av(ssid, tsid, tclass)
            yield from self.remember(key, allowed)
        return requested & ~allowed

    def update(self, ssid, tsid, tclass, granted):
        key = self.key_of(ssid, tsid, tclass)
        found = yield from self.cache.lookup(key)
        if not found:
            return 0
        allowed = (found & ALL_BITS) | granted
        yield from self.cache.replace(key, allowed, self.seal(key, allowed))
        return 1

    def syscall_exit(self):
        yield from self.cache.quiescent()

    def remember(self, key, allowed):
        yield from self.cache.replace(key, allowed, self.seal(key, allowed))
        mine = self.insertions[cpu()]
        count = (yield mine.load(RELAXED)) + 1
        if count == self.reclaim_every:
            yield from self.cache.reclaim()
            count = 0
        yield mine.store(count, RELAXED)

    def key_of(self, ssid, tsid, tclass):
        return 1 + ssid + (tsid << 12) + (tclass << 24)

    def seal(self, key, allowed):
        return 1 + ((key * 40503 + allowed * 2221 + self.salt) & 0x3FFFFFFF)
