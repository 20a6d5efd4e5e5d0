"""The label cache: the library's is proven, and each wrong one is caught."""

import pytest
from kinds.verdicts import verdict_of

from locksim.lang import NULL, RELAXED, alloc, cast, free
from locksim.library.avc.cipso import Cipso, CipsoEntry, CipsoLabel

TYPES = [CipsoLabel, CipsoEntry]


class LooksUnlocked(Cipso):
    """Wrong: a look-up does not take the bucket's lock."""

    def lookup(self, key):
        digest = self.hash(key)
        bucket = self.buckets[digest & self.index_mask]
        at = yield bucket.list.after.load(RELAXED)
        while at != bucket.list:
            entry = cast(CipsoEntry, at)
            if (yield entry.option.load(RELAXED)) == key:
                label = yield entry.label.load(RELAXED)
                yield from self.label_get(label)
                return label
            at = yield at.after.load(RELAXED)
        return NULL


class TakesNoReference(Cipso):
    """Wrong: a look-up gives a label without a reference for the caller."""

    def label_get(self, label: CipsoLabel):
        yield label.references.load(RELAXED)


class TakesReferenceTooLate(Cipso):
    """Wrong: the reference is taken when the lock is free again."""

    def lookup(self, key):
        digest = self.hash(key)
        bucket = self.buckets[digest & self.index_mask]
        label = NULL
        yield from bucket.lock.acquire()
        at = yield bucket.list.after.load(RELAXED)
        while at != bucket.list and not label:
            entry = cast(CipsoEntry, at)
            if (yield entry.option.load(RELAXED)) == key:
                label = yield entry.label.load(RELAXED)
            at = yield at.after.load(RELAXED)
        yield from bucket.lock.release()
        if label:
            yield from self.label_get(label)
        return label


class KeepsEvictedLabels(Cipso):
    """Wrong: an evicted entry's reference is never put back."""

    def label_put(self, label: CipsoLabel):
        if (yield label.references.fetch_add(-1)) == 2:
            yield label.references.load(RELAXED)


class CountsByTwoSteps(Cipso):
    """Wrong: a reference is dropped by a load and a store."""

    def label_put(self, label: CipsoLabel):
        references = yield label.references.load(RELAXED)
        yield label.references.store(references - 1)
        if references == 1:
            yield free(label)


class AddsBeforeItIsFilled(Cipso):
    """Wrong: the entry is in the bucket before it has a label."""

    def add(self, key, label: CipsoLabel):
        entry: CipsoEntry = yield alloc(CipsoEntry)
        digest = self.hash(key)
        bucket = self.buckets[digest & self.index_mask]
        yield entry.option.store(key, RELAXED)
        yield entry.hash.store(digest, RELAXED)
        yield from bucket.lock.acquire()
        yield from self.insert(entry.list, bucket.list)
        yield from bucket.lock.release()
        yield entry.label.store(label, RELAXED)
        yield from self.label_get(label)
        return 1


FOUND = {
    (LooksUnlocked, "eviction"): "memory",
    (TakesNoReference, "alone"): "memory",
    (TakesReferenceTooLate, "eviction"): "memory",
    (KeepsEvictedLabels, "alone"): "leak",
    (CountsByTwoSteps, "one key for all"): "memory",
    (AddsBeforeItIsFilled, "one key for all"): "memory",
}


@pytest.mark.parametrize(("cache", "client"), FOUND, ids=lambda x: getattr(x, "__name__", x))
def test_wrong_caches_are_caught(cache, client):
    """By a client that asks for it; and the generators confirm it."""
    assert FOUND[cache, client] == verdict_of(cache, client, types=TYPES)


@pytest.mark.parametrize("memory", ["sc", "tso", "c11"])
def test_the_librarys_cache_is_proven(memory):
    """By all clients, with two threads."""
    assert "proven" == verdict_of(Cipso, "", memory=memory)
