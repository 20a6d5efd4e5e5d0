"""The access vector cache of Linux 2.6.8: one spinlock round everything.

Mechanism. A check takes the cache's only lock, searches the chain of the key's slot, marks the
node as used, copies the decision out and releases the lock. On a miss the lock is dropped while
the security server computes, and taken again to insert. An object may keep a reference to the
node that answered last; a check of that object looks there first and so skips the hash, but not
the lock.

Invariant. Every read and write of a slot or a node happens under the lock. A referenced node is
compared with the key like any other: it may have been reclaimed for another key meanwhile.

Cost in line transfers. Uncontended on one CPU: none. Contended: those of the lock (see the
lock's file), and inside the critical section one more for the node, because the previous holder
stored ``used`` into it: the hold time grows with the number of CPUs though the code does not
change.

Fairness. That of the lock.

Not modelled. Interrupts (the kernel's lock is taken with interrupts off), auditing, statistics,
policy changes.
"""

from locksim.lang import *
from locksim.library.avc.avc_pool import AvcNode, PoolAVC
from locksim.library.locks.ttas import TTASLock

__all__ = ["AvcSpinlock"]


class AvcSpinlock(PoolAVC):
    """AVC under one global spinlock (Linux 2.6.8, security/selinux/avc.c).

    Arguments:
        use_reference: 1 keeps a reference to the last node for each CPU, as if each CPU worked
            on one object.
    """

    use_reference = param(0)
    lock = part(TTASLock, padded=True)
    references = percpu(pointer(AvcNode))

    def has_perm(self, ssid, tsid, tclass, requested):
        if self.check_ps:
            yield compute(self.check_ps)
        yield from self.lock.acquire()
        if self.search_ps:
            yield compute(self.search_ps)
        node = yield from self.find(ssid, tsid, tclass, requested)
        if node:
            yield from self.mark_used(node)
        else:
            yield from self.lock.release()
            computed = yield from self.compute_av(ssid, tsid, tclass)
            yield from self.lock.acquire()
            node = yield from self.insert(ssid, tsid, tclass, computed)
            if self.use_reference:
                yield self.references[cpu()].store(node, RELAXED)
        allowed = yield from self.copy_decision(node)
        yield from self.lock.release()
        return requested & ~allowed

    def find(self, ssid, tsid, tclass, requested):
        if self.use_reference:
            node = yield self.references[cpu()].load(RELAXED)
            if (
                node
                and (yield node.ssid.load(RELAXED)) == ssid
                and (yield node.tsid.load(RELAXED)) == tsid
                and (yield node.tclass.load(RELAXED)) == tclass
                and not (requested & ~(yield node.decided.load(RELAXED)))
            ):
                return node
        node = yield from self.lookup(ssid, tsid, tclass, requested)
        if node and self.use_reference:
            yield self.references[cpu()].store(node, RELAXED)
        return node

    def update(self, ssid, tsid, tclass, granted):
        yield from self.lock.acquire()
        found = yield from self.grant(ssid, tsid, tclass, granted)
        yield from self.lock.release()
        return found

    def syscall_exit(self):
        yield fence(RELEASE)
