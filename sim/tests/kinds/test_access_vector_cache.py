"""Access vector caches: the library's are proven, and each broken in several ways is caught."""

import pytest
from kinds.verdicts import verdict_of

from locksim.checker import Sampling, sample_lock
from locksim.kinds.kind import resized
from locksim.lang import ACQUIRE, NULL, RELAXED, RELEASE, alloc, free, part
from locksim.library.avc.avc import ALL_BITS
from locksim.library.avc.avc_2_4 import AvcTwoFour
from locksim.library.avc.avc_of import AvcOf
from locksim.library.avc.avc_rcu import AvcRCU, AvcRcuNode
from locksim.library.avc.avc_rwlock import AvcRWLock
from locksim.library.avc.avc_spinlock import AvcSpinlock
from locksim.library.avc.decisions_spinlock import N_SLOTS, DecisionEntry, DecisionsSpinlock

CACHES = [AvcSpinlock, AvcTwoFour, AvcRWLock, AvcRCU, AvcOf]
TYPES = [AvcRcuNode, DecisionEntry]


class LetsGoTooEarly(AvcSpinlock):
    """Wrong: the lock is released before the decision is copied out."""

    def has_perm(self, ssid, tsid, tclass, requested):
        yield from self.lock.acquire()
        node = yield from self.find(ssid, tsid, tclass, requested)
        if not node:
            computed = yield from self.compute_av(ssid, tsid, tclass)
            node = yield from self.insert(ssid, tsid, tclass, computed)
        yield from self.lock.release()
        allowed = yield from self.copy_decision(node)
        return requested & ~allowed


class UpdatesUnlocked(AvcSpinlock):
    """Wrong: an update does not take the lock."""

    def update(self, ssid, tsid, tclass, granted):
        found = yield from self.grant(ssid, tsid, tclass, granted)
        return found


class Refreshes(AvcSpinlock):
    """Wrong: a decision that was computed before an update overwrites it."""

    def insert(self, ssid, tsid, tclass, allowed):
        node = yield from self.search(ssid, tsid, tclass)
        if not node:
            node = yield from self.claim()
            slot = self.slots[self.slot_of(ssid, tsid, tclass)]
            first = yield slot.load(RELAXED)
            yield node.ssid.store(ssid, RELAXED)
            yield node.tsid.store(tsid, RELAXED)
            yield node.tclass.store(tclass, RELAXED)
            yield node.next.store(first, RELAXED)
            yield slot.store(node, RELAXED)
        yield node.allowed.store(allowed, RELAXED)
        yield node.decided.store(ALL_BITS, RELAXED)
        yield node.used.store(1, RELAXED)
        return node


class KeepsTheLock(AvcTwoFour):
    """Wrong: a miss computes under the cache's lock, an update takes the two in the other order."""

    def has_perm(self, ssid, tsid, tclass, requested):
        yield from self.lock.acquire()
        node = yield from self.find(ssid, tsid, tclass, requested)
        if not node:
            computed = yield from self.compute_av(ssid, tsid, tclass)
            node = yield from self.insert(ssid, tsid, tclass, computed)
        allowed = yield from self.copy_decision(node)
        yield from self.lock.release()
        return requested & ~allowed

    def update(self, ssid, tsid, tclass, granted):
        yield from self.server.lock.acquire()
        yield from self.lock.acquire()
        found = yield from self.grant(ssid, tsid, tclass, granted)
        yield from self.lock.release()
        yield from self.server.lock.release()
        return found


class TwoFourUpdatesUnlocked(AvcTwoFour):
    """Wrong: an update takes the security server's lock instead of the cache's."""

    def update(self, ssid, tsid, tclass, granted):
        yield from self.server.lock.acquire()
        found = yield from self.grant(ssid, tsid, tclass, granted)
        yield from self.server.lock.release()
        return found


class TwoFourForgetsToRelease(AvcTwoFour):
    """Wrong: an update of what is not there keeps the lock."""

    def update(self, ssid, tsid, tclass, granted):
        yield from self.lock.acquire()
        found = yield from self.grant(ssid, tsid, tclass, granted)
        if found:
            yield from self.lock.release()
        return found


class InsertsAsReader(AvcRWLock):
    """Wrong: a miss is inserted under the read lock."""

    def has_perm(self, ssid, tsid, tclass, requested):
        yield from self.lock.read_acquire()
        node = yield from self.lookup(ssid, tsid, tclass, requested)
        if not node:
            computed = yield from self.compute_av(ssid, tsid, tclass)
            node = yield from self.insert(ssid, tsid, tclass, computed)
        allowed = yield from self.copy_decision(node)
        yield from self.lock.read_release()
        return requested & ~allowed


class UpdatesAsReader(AvcRWLock):
    """Wrong: an update is made under the read lock."""

    def update(self, ssid, tsid, tclass, granted):
        yield from self.lock.read_acquire()
        found = yield from self.grant(ssid, tsid, tclass, granted)
        yield from self.lock.read_release()
        return found


class CopiesOutside(AvcRWLock):
    """Wrong: a reader leaves before it copies the decision."""

    def has_perm(self, ssid, tsid, tclass, requested):
        yield from self.lock.read_acquire()
        node = yield from self.lookup(ssid, tsid, tclass, requested)
        yield from self.lock.read_release()
        if not node:
            computed = yield from self.compute_av(ssid, tsid, tclass)
            yield from self.lock.write_acquire()
            node = yield from self.insert(ssid, tsid, tclass, computed)
            yield from self.lock.write_release()
        allowed = yield from self.copy_decision(node)
        return requested & ~allowed


class NoGracePeriod(AvcRCU):
    """Wrong: what is replaced is freed at once."""

    def update(self, ssid, tsid, tclass, granted):
        new: AvcRcuNode = yield alloc(AvcRcuNode)
        slot = self.slot_of(ssid, tsid, tclass)
        yield from self.slot_locks[slot].acquire()
        node = yield self.slots[slot].load(RELAXED)
        if node:
            allowed = yield node.allowed.load(RELAXED)
            yield from self.fill(new, ssid, tsid, tclass, allowed | granted)
            yield from self.link_copy(node, new)
            yield self.slots[slot].store(new, RELEASE)
            yield free(node)
        else:
            yield free(new)
        yield from self.slot_locks[slot].release()
        return node != NULL


class ForgetsTheRest(AvcRCU):
    """Wrong: the entry that replaces another one is the last of its chain."""

    def link_copy(self, old: AvcRcuNode, new: AvcRcuNode):
        yield new.next.store(NULL, RELAXED)


class QuiescentInside(AvcRCU):
    """Wrong: a check reports a quiescent state while it still holds an entry."""

    def lookup(self, ssid, tsid, tclass, requested):
        node = yield self.slots[self.slot_of(ssid, tsid, tclass)].load(ACQUIRE)
        yield from self.rcu.quiescent()
        while node and not (yield from self.matches(node, ssid, tsid, tclass)):
            node = yield node.next.load(ACQUIRE)
        return node


class PublishesRelaxed(AvcRCU):
    """Wrong under c11: an entry is linked before it is complete."""

    def update(self, ssid, tsid, tclass, granted):
        new: AvcRcuNode = yield alloc(AvcRcuNode)
        slot = self.slot_of(ssid, tsid, tclass)
        yield from self.slot_locks[slot].acquire()
        node = yield self.slots[slot].load(RELAXED)
        if node:
            allowed = yield node.allowed.load(RELAXED)
            yield from self.fill(new, ssid, tsid, tclass, allowed | granted)
            yield from self.link_copy(node, new)
            yield self.slots[slot].store(new, RELAXED)
            yield from self.rcu.call_rcu(node.rcu)
        else:
            yield free(new)
        yield from self.slot_locks[slot].release()
        return node != NULL


class InsertsTwice(AvcRCU):
    """Wrong: who missed the same key puts its entry before the one that was updated meanwhile."""

    def insert(self, ssid, tsid, tclass, allowed):
        new: AvcRcuNode = yield alloc(AvcRcuNode)
        yield from self.fill(new, ssid, tsid, tclass, allowed)
        slot = self.slot_of(ssid, tsid, tclass)
        yield from self.slot_locks[slot].acquire()
        first = yield self.slots[slot].load(RELAXED)
        yield new.next.store(first, RELAXED)
        yield self.slots[slot].store(new, RELEASE)
        yield from self.slot_locks[slot].release()


class PromisesUpdates(AvcOf):
    """Wrong: it says that no update is lost."""

    UPDATES_MAY_BE_LOST = 0


class ForgetsUpdates(AvcOf):
    """Wrong: an update only looks."""

    def update(self, ssid, tsid, tclass, granted):
        found = yield from self.cache.lookup(self.key_of(ssid, tsid, tclass))
        return found != 0


class OneKeyForAll(AvcOf):
    """Wrong: all subjects share a key."""

    def key_of(self, ssid, tsid, tclass):
        return 1 + tsid + tclass


class LooksUnlocked(DecisionsSpinlock):
    """Wrong: a lookup does not take the lock."""

    def lookup(self, key):
        decision = 0
        entry = yield self.slots[key % N_SLOTS].load(RELAXED)
        while entry and (yield entry.tag.load(RELAXED)) != key:
            entry = yield entry.next.load(RELAXED)
        if entry:
            allowed = yield entry.allowed.load(RELAXED)
            audit = yield entry.audit.load(RELAXED)
            decision = allowed + (audit << 32)
        return decision


class OfAnUnlockedCache(AvcOf):
    """Wrong: the cache below reads without its lock."""

    cache = part(LooksUnlocked, padded=True)


FOUND = {
    (LetsGoTooEarly, "reclaim beside checks", "sc"): "assertion",
    (UpdatesUnlocked, "reclaim beside an update", "sc"): "assertion",
    (Refreshes, "update beside updates", "sc"): "assertion",
    (KeepsTheLock, "reclaim beside an update", "sc"): "deadlock",
    (TwoFourUpdatesUnlocked, "reclaim beside an update", "sc"): "assertion",
    (TwoFourForgetsToRelease, "alone", "sc"): "deadlock",
    (InsertsAsReader, "reclaim beside an update", "sc"): "assertion",
    (UpdatesAsReader, "update beside updates", "sc"): "assertion",
    (CopiesOutside, "reclaim beside checks", "sc"): "assertion",
    (NoGracePeriod, "update beside checks", "sc"): "memory",
    (ForgetsTheRest, "alone", "sc"): "assertion",
    (QuiescentInside, "update beside checks", "sc"): "memory",
    (PublishesRelaxed, "update beside checks", "c11"): "assertion",
    (InsertsTwice, "update beside updates", "sc"): "assertion",
    (PromisesUpdates, "update beside updates", "sc"): "assertion",
    (ForgetsUpdates, "alone", "sc"): "assertion",
    (ForgetsUpdates, "update after updates", "sc"): "assertion",
    (OneKeyForAll, "alone", "sc"): "assertion",
    (OfAnUnlockedCache, "update beside checks", "sc"): "assertion",
}


@pytest.mark.covering("cache", every=2)
@pytest.mark.parametrize(
    ("cache", "client", "memory"), FOUND, ids=lambda x: getattr(x, "__name__", x)
)
def test_wrong_caches_are_caught(cache, client, memory):
    """By a client that asks for it; and the generators confirm it."""
    assert FOUND[cache, client, memory] == verdict_of(cache, client, memory=memory, types=TYPES)


@pytest.mark.covering("cache", "memory")
@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
@pytest.mark.parametrize("cache", CACHES)
def test_the_librarys_caches_are_proven(cache, memory):
    """One thread alone, and an update beside checks; docs/evidence/states.md has the rest."""
    for client in ("alone", "update beside checks"):
        assert "proven" == verdict_of(cache, client, memory=memory)


def test_a_cache_is_made_small():
    """As far as it has such sizes; a description keeps the rest of its settings."""
    assert {"n_slots": 1, "use_reference": 1}.items() <= resized(
        AvcSpinlock(use_reference=1, n_slots=8), n_slots=1, threshold=3
    )._params.items()
    assert 1 == resized(AvcRCU, threshold=1)._params["threshold"]


@pytest.mark.parametrize("cache", CACHES)
def test_what_threads_add_at_once_finds_room(cache):
    """Three threads may miss one key at once; no entry that an update needs is reclaimed then."""
    assert "" == sample_lock(cache, Sampling(200), threads=3).found


def test_a_reference_to_the_last_node_is_right_too():
    """It may have been reclaimed for another key meanwhile."""
    cache = AvcSpinlock(use_reference=1)
    assert "proven" == verdict_of(cache, "reclaim beside", memory="tso")
