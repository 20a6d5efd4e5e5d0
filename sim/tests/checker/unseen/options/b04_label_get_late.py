from locksim.lang import *
from locksim.library.avc.cipso import Cipso, CipsoEntry


class GetLate(Cipso):
    def lookup(self, key):
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
                yield from self.rise(bucket, entry)
                break
            at = yield at.after.load(RELAXED)
        yield from bucket.lock.release()
        if label:
            yield from self.label_get(label)
        return label
