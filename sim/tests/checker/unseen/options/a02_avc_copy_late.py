from locksim.lang import *
from locksim.library.avc.avc_spinlock import AvcSpinlock


class AvcCopyLate(AvcSpinlock):
    def has_perm(self, ssid, tsid, tclass, requested):
        yield from self.lock.acquire()
        node = yield from self.lookup(ssid, tsid, tclass, requested)
        if node:
            yield from self.mark_used(node)
        else:
            yield from self.lock.release()
            computed = yield from self.compute_av(ssid, tsid, tclass)
            yield from self.lock.acquire()
            node = yield from self.insert(ssid, tsid, tclass, computed)
        yield from self.lock.release()
        allowed = yield from self.copy_decision(node)
        return requested & ~allowed
