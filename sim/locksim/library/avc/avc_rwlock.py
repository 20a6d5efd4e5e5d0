"""The access vector cache under a reader-writer lock: the first fix of 2004.

Mechanism. Lookups, which are nearly all that happens, take the lock for reading and so do not
exclude each other. A miss drops it, has the decision computed, and takes it for writing to
insert; so does an update.

Invariant. Chains and decisions change only under the write lock. ``used`` is stored by readers
too; any order of those stores is right, since all store 1.

Cost in line transfers. Uncontended on one CPU: none. With N CPUs that only look up, each check
writes the lock's word twice: two transfers of one line, served one after another, whatever N
is. That fixes the rate of the whole machine: the plateau of kaigai-2004. With ``store_used =
1`` the node's line moves for every check as well.

Fairness. That of the lock: with reader preference a stream of checks delays an insertion.

Not modelled. Interrupts, auditing, statistics, policy changes.
"""

from locksim.lang import *
from locksim.library.avc.avc_pool import PoolAVC
from locksim.library.locks.rwlock import ReaderPreferenceRWLock

__all__ = ["AvcRWLock"]


class AvcRWLock(PoolAVC):
    """AVC under one global rwlock (KaiGai's rwlock patch, August 2004; kaigai-2004)."""

    lock = part(ReaderPreferenceRWLock, padded=True)

    def has_perm(self, ssid, tsid, tclass, requested):
        if self.check_ps:
            yield compute(self.check_ps)
        allowed = 0
        yield from self.lock.read_acquire()
        if self.search_ps:
            yield compute(self.search_ps)
        node = yield from self.lookup(ssid, tsid, tclass, requested)
        if node:
            yield from self.mark_used(node)
            allowed = yield from self.copy_decision(node)
        yield from self.lock.read_release()
        if not node:
            allowed = yield from self.compute_av(ssid, tsid, tclass)
            yield from self.lock.write_acquire()
            node = yield from self.insert(ssid, tsid, tclass, allowed)
            allowed = yield from self.copy_decision(node)
            yield from self.lock.write_release()
        return requested & ~allowed

    def update(self, ssid, tsid, tclass, granted):
        yield from self.lock.write_acquire()
        found = yield from self.grant(ssid, tsid, tclass, granted)
        yield from self.lock.write_release()
        return found

    def syscall_exit(self):
        yield fence(RELEASE)
