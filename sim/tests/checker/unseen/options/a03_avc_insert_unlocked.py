from locksim.lang import *
from locksim.library.avc.avc_spinlock import AvcSpinlock


class AvcInsertUnlocked(AvcSpinlock):
    def has_perm(self, ssid, tsid, tclass, requested):
        yield from self.lock.acquire()
        node = yield from self.lookup(ssid, tsid, tclass, requested)
        if node:
            yield from self.mark_used(node)
            allowed = yield from self.copy_decision(node)
            yield from self.lock.release()
            return requested & ~allowed
        yield from self.lock.release()
        computed = yield from self.compute_av(ssid, tsid, tclass)
        node = yield from self.insert(ssid, tsid, tclass, computed)
        allowed = yield from self.copy_decision(node)
        return requested & ~allowed
