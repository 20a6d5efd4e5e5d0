"""CIPSO label cache: what the security option of an IP packet means, remembered.

Mechanism. 128 buckets, each with a spinlock and a list of at most 10 entries. A hit counts the
entry's activity up and that of the entry before it down; when it leads by more than 10, the two
change places, so that busy labels wander to the front. A hit takes a reference to the label, which
the caller puts back. A new entry goes to the front; if the bucket is full, its last entry is
evicted. A label lives until the last reference is put back, evicted or not.

The index. Linux 2.6.19 to 2.6.25 picked the bucket by ``hash & (BUCKET_BITS - 1)``, bits instead of
buckets: with 7 bits that is ``hash & 6``, so only buckets 0, 2, 4 and 6 were ever used: 4 locks,
room for 40 labels instead of 1280. 2.6.26 has ``hash & (BUCKETS - 1)`` (commit 5e0f8923f350,
P. Emelyanov, May 2008). ``index_mask`` is ``INDEX_ALL``, or ``INDEX_AS_IT_WAS`` for the old cache.

Invariants. A bucket's list, size and activities change under its lock. The list is a ring through
the bucket; it has ``size`` entries, at most 10. Each entry holds one reference to its label.

Cost in line transfers. A hit by one CPU alone: none. With several CPUs, for one label: the lock's
line (the size and the list's ends lie on it too), the entry that is counted up, the entry before it
that is counted down, and the label's references, twice. The cache does not scale for one label, and
with the old index it is hardly better for many.

Fairness. That of the bucket's lock.

Difference from the kernel. Two CPUs that miss the same label at once both insert it, as in Linux. A
key is a number here and its hash is made from it; the kernel hashes and compares the option's
bytes, which is register work and left to the caller (``locksim.library.kernel.netlabel``).

Source: Linux 2.6.19 and 2.6.26, net/ipv4/cipso_ipv4.c; moore-2006.
"""

from locksim.lang import *
from locksim.library.locks.ttas import TTASLock

__all__ = ["Cipso"]

BUCKET_BITS = 7
BUCKETS = 1 << BUCKET_BITS
BUCKET_SIZE = 10
REORDER_LIMIT = 10
INDEX_ALL = BUCKETS - 1
INDEX_AS_IT_WAS = BUCKET_BITS - 1


class CipsoLabel(Struct):
    """What a packet's option means to the security module."""

    references = word()
    secid = word()


class CipsoList(Struct):
    """A link of a ring."""

    before = pointer("CipsoList")
    after = pointer("CipsoList")


class CipsoEntry(Struct):
    """One remembered key; its link comes first, so that the entry is found by it."""

    list = part(CipsoList)
    option = word()
    hash = word()
    activity = word()
    label = pointer(CipsoLabel)


class CipsoBucket(Struct):
    """A lock and the ring that it guards."""

    lock = part(TTASLock)
    size = word()
    list = part(CipsoList)


class Cipso(Struct):
    """The label cache of NetLabel (Moore; Linux 2.6.26, net/ipv4/cipso_ipv4.c).

    Arguments:
        index_mask: which bits of the hash pick the bucket, ``INDEX_ALL`` or ``INDEX_AS_IT_WAS``.
        n_buckets: buckets, more than the mask. bucket_size: entries of a bucket at most.
        reorder_limit: by how much an entry must lead to change places with the one before it.
    """

    index_mask = param(INDEX_ALL)
    n_buckets = param(BUCKETS)
    bucket_size = param(BUCKET_SIZE)
    reorder_limit = param(REORDER_LIMIT)
    buckets = array("n_buckets", CipsoBucket)

    def setup(self):
        for i in range(self.n_buckets):
            ring = self.buckets[i].list
            yield ring.before.store(ring, RELAXED)
            yield ring.after.store(ring, RELAXED)

    def lookup(self, key):
        # The key's label with a reference for the caller, or NULL.
        digest = self.hash(key)
        bucket = self.buckets[digest & self.index_mask]
        label = NULL
        yield from bucket.lock.acquire()
        at = yield bucket.list.after.load(RELAXED)
        while at != bucket.list:
            entry = cast(CipsoEntry, at)
            if (yield entry.hash.load(RELAXED)) == digest and (
                yield entry.option.load(RELAXED)
            ) == key:
                label = yield entry.label.load(RELAXED)
                yield from self.label_get(label)
                yield from self.rise(bucket, entry)
                break
            at = yield at.after.load(RELAXED)
        yield from bucket.lock.release()
        return label

    def add(self, key, label: CipsoLabel):
        # Remembers the label, with a reference of its own; 0 if there is no memory.
        entry = yield alloc(CipsoEntry)
        if not entry:
            return 0
        digest = self.hash(key)
        bucket = self.buckets[digest & self.index_mask]
        evicted = cast(CipsoEntry, NULL)
        yield entry.option.store(key, RELAXED)
        yield entry.hash.store(digest, RELAXED)
        yield entry.label.store(label, RELAXED)
        yield from self.label_get(label)
        yield from bucket.lock.acquire()
        size = yield bucket.size.load(RELAXED)
        if size == self.bucket_size:
            last = yield bucket.list.before.load(RELAXED)
            evicted = cast(CipsoEntry, last)
            yield from self.remove(evicted.list)
        else:
            yield bucket.size.store(size + 1, RELAXED)
        yield from self.insert(entry.list, bucket.list)
        yield from bucket.lock.release()
        if evicted:
            old = yield evicted.label.load(RELAXED)
            yield from self.label_put(old)
            yield free(evicted)
        return 1

    def label_new(self, secid):
        # A label with one reference, the caller's; NULL if there is no memory.
        label = yield alloc(CipsoLabel)
        if label:
            yield label.secid.store(secid, RELAXED)
            yield label.references.store(1, RELEASE)
        return label

    def label_get(self, label: CipsoLabel):
        yield label.references.fetch_add(1, RELAXED)

    def label_put(self, label: CipsoLabel):
        if (yield label.references.fetch_add(-1, ACQ_REL)) == 1:
            yield free(label)

    def hash(self, key):
        # Consecutive keys spread over all buckets, as FNV does with the option's bytes.
        mixed = (key * 0x9E3779B1) & 0xFFFFFFFF
        return mixed ^ (mixed >> 16)

    def rise(self, bucket: CipsoBucket, entry: CipsoEntry):
        # Under the bucket's lock: the entry was asked for.
        activity = (yield entry.activity.load(RELAXED)) + 1
        yield entry.activity.store(activity, RELAXED)
        before = yield entry.list.before.load(RELAXED)
        if before == bucket.list:
            return
        neighbour = cast(CipsoEntry, before)
        rival = yield neighbour.activity.load(RELAXED)
        if rival > 0:
            rival = rival - 1
            yield neighbour.activity.store(rival, RELAXED)
        if activity > rival + self.reorder_limit:
            yield from self.remove(entry.list)
            front = yield before.before.load(RELAXED)
            yield from self.insert(entry.list, front)

    def insert(self, link: CipsoList, behind: CipsoList):
        after = yield behind.after.load(RELAXED)
        yield link.before.store(behind, RELAXED)
        yield link.after.store(after, RELAXED)
        yield after.before.store(link, RELAXED)
        yield behind.after.store(link, RELAXED)

    def remove(self, link: CipsoList):
        before = yield link.before.load(RELAXED)
        after = yield link.after.load(RELAXED)
        yield before.after.store(after, RELAXED)
        yield after.before.store(before, RELAXED)
