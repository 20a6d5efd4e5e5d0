"""The access vector cache under RCU: a check reads and writes nothing that others write.

Mechanism. A check searches the key's chain without any lock, copies the decision and is done.
Writers take the spinlock of the one slot that they change. An entry is never changed in place: an
update makes a copy with the new decision and puts it in the old one's place (``list_replace_rcu``),
so that a reader sees the old or the new decision, never half of both. The old entry goes to
``call_rcu``. Entries are allocated one by one; when their number passes the threshold, the
inserting CPU first reclaims up to 16: a hand goes round the slots, skips those whose lock is taken
(``try_acquire``: no CPU waits), takes ``used`` marks away and takes out entries that have none.

Invariants. A chain's links change only under its slot's lock, and a new entry is complete before
the link to it is stored (release). What has been taken out of a chain is freed only after a grace
period. If no memory can be had, the answer is still the security server's; it is just not
remembered. ``active_nodes`` may pass the threshold only by the entries that CPUs are inserting at
that moment, or while a whole sweep finds every entry used or its slot locked.

Cost in line transfers. A hit: none, on any number of CPUs, if ``store_used`` is 0: the mark is
read, and stored only if it is not set. With ``store_used = 1`` each hit stores it, and the
entry's line bounces as under a lock: the lock is gone, the collapse is not. An insertion or
update: the slot's lock, the chain's link, two counters, and then a re-read of the link by every
CPU.

Fairness. Readers never wait. Writers compete only within a slot.

Difference from the kernel. Chains are linked one way, since a writer passes the predecessor
anyway. The reclaim's mark is a second chance, as in the old cache; the kernel's count-down took
out an entry at the first visit.

Not modelled. Auditing, statistics, policy changes, the notification number that refuses
outdated decisions.
"""

from locksim.lang import *
from locksim.library.avc.avc import ALL_BITS, AVC, N_NODES, RECLAIM, SEQNO
from locksim.library.locks.rcu import RCU, RcuHead
from locksim.library.locks.ttas import TTASLock

__all__ = ["AvcRCU", "AvcRcuNode"]


class AvcRcuNode(Struct):
    """An entry: RCU head, key, link, mark and decision (struct avc_node of Linux 2.6.10)."""

    rcu = part(RcuHead)
    ssid = word()
    tsid = word()
    tclass = word()
    next = pointer("AvcRcuNode")
    decided = word()
    allowed = word()
    used = word()
    seqno = word()
    auditallow = word()
    auditdeny = word()


class AvcRCU(AVC):
    """AVC under RCU with a lock for each slot (KaiGai's RCU patch; Linux 2.6.10, avc.c).

    Arguments:
        threshold: entries beyond which an insertion reclaims.
        reclaim_count: entries that one reclaim takes out at most.
    """

    store_used = param(0)
    threshold = param(N_NODES)
    reclaim_count = param(RECLAIM)
    rcu = part(RCU)
    slots = array("n_slots", pointer(AvcRcuNode))
    slot_locks = array("n_slots", TTASLock)
    hand = word()
    active_nodes = word()

    def setup(self):
        assert (self.n_slots & (self.n_slots - 1)) == 0
        yield self.active_nodes.store(0, RELAXED)

    def has_perm(self, ssid, tsid, tclass, requested):
        if self.check_ps:
            yield compute(self.check_ps)
        allowed = 0
        yield from self.rcu.read_lock()
        if self.search_ps:
            yield compute(self.search_ps)
        node = yield from self.lookup(ssid, tsid, tclass, requested)
        if node:
            allowed = yield from self.copy_decision(node)
        yield from self.rcu.read_unlock()
        if not node:
            allowed = yield from self.compute_av(ssid, tsid, tclass)
            yield from self.insert(ssid, tsid, tclass, allowed)
        return requested & ~allowed

    def update(self, ssid, tsid, tclass, granted):
        new = yield alloc(AvcRcuNode)
        if not new:
            return 0
        slot = self.slot_of(ssid, tsid, tclass)
        yield from self.slot_locks[slot].acquire()
        link = self.slots[slot]
        node = yield link.load(RELAXED)
        while node:
            if (yield from self.matches(node, ssid, tsid, tclass)):
                allowed = yield node.allowed.load(RELAXED)
                yield from self.fill(new, ssid, tsid, tclass, allowed | granted)
                yield from self.link_copy(node, new)
                yield link.store(new, RELEASE)
                yield from self.rcu.call_rcu(node.rcu)
                yield from self.slot_locks[slot].release()
                return 1
            link = node.next
            node = yield link.load(RELAXED)
        yield from self.slot_locks[slot].release()
        yield free(new)
        return 0

    def syscall_exit(self):
        yield from self.rcu.quiescent()

    def lookup(self, ssid, tsid, tclass, requested):
        # Acquire stands for rcu_dereference: the entry's words are read after the link to it.
        node = yield self.slots[self.slot_of(ssid, tsid, tclass)].load(ACQUIRE)
        while node:
            if (yield from self.matches(node, ssid, tsid, tclass)):
                # An entry helps only if the server has judged every bit that is asked for.
                if requested & ~(yield node.decided.load(RELAXED)):
                    return NULL
                if self.store_used or (yield node.used.load(RELAXED)) != 1:
                    yield node.used.store(1, RELAXED)
                return node
            node = yield node.next.load(ACQUIRE)
        return node

    def matches(self, node: AvcRcuNode, ssid, tsid, tclass):
        return (
            (yield node.ssid.load(RELAXED)) == ssid
            and (yield node.tclass.load(RELAXED)) == tclass
            and (yield node.tsid.load(RELAXED)) == tsid
        )

    def copy_decision(self, node: AvcRcuNode):
        # The whole decision is read, as the kernel copies it; a check needs only "allowed".
        allowed = yield node.allowed.load(RELAXED)
        yield node.decided.load(RELAXED)
        yield node.auditallow.load(RELAXED)
        yield node.auditdeny.load(RELAXED)
        yield node.seqno.load(RELAXED)
        return allowed

    def insert(self, ssid, tsid, tclass, allowed):
        new = yield alloc(AvcRcuNode)
        if not new:
            return
        if (yield self.active_nodes.fetch_add(1, RELAXED)) >= self.threshold:
            yield from self.reclaim()
        yield from self.fill(new, ssid, tsid, tclass, allowed)
        slot = self.slot_of(ssid, tsid, tclass)
        yield from self.slot_locks[slot].acquire()
        link = self.slots[slot]
        node = yield link.load(RELAXED)
        while node and not (yield from self.matches(node, ssid, tsid, tclass)):
            link = node.next
            node = yield link.load(RELAXED)
        if not node:
            first = yield self.slots[slot].load(RELAXED)
            yield new.next.store(first, RELAXED)
            yield self.slots[slot].store(new, RELEASE)
        yield from self.slot_locks[slot].release()
        if node:
            # Another CPU missed the same key, and its entry may have been updated meanwhile.
            yield free(new)
            yield self.active_nodes.fetch_add(-1, RELAXED)

    def fill(self, node: AvcRcuNode, ssid, tsid, tclass, allowed):
        yield node.ssid.store(ssid, RELAXED)
        yield node.tsid.store(tsid, RELAXED)
        yield node.tclass.store(tclass, RELAXED)
        yield node.allowed.store(allowed, RELAXED)
        yield node.decided.store(ALL_BITS, RELAXED)
        yield node.auditallow.store(0, RELAXED)
        yield node.auditdeny.store(ALL_BITS, RELAXED)
        yield node.seqno.store(SEQNO, RELAXED)
        yield node.used.store(1, RELAXED)

    def link_copy(self, old: AvcRcuNode, new: AvcRcuNode):
        # First half of list_replace_rcu; a reader at the old entry still finds its way on.
        rest = yield old.next.load(RELAXED)
        yield new.next.store(rest, RELAXED)

    def reclaim(self):
        taken = 0
        # Twice round: the first visit may only take marks away.
        for _ in range(2 * self.n_slots):
            slot = (yield self.hand.fetch_add(1, RELAXED)) & (self.n_slots - 1)
            if (yield from self.slot_locks[slot].try_acquire()):
                taken = yield from self.reclaim_slot(slot, taken)
                yield from self.slot_locks[slot].release()
                if taken >= self.reclaim_count:
                    return

    def reclaim_slot(self, slot, taken):
        link = self.slots[slot]
        node = yield link.load(RELAXED)
        while node and taken < self.reclaim_count:
            rest = yield node.next.load(RELAXED)
            if (yield node.used.load(RELAXED)) == 0:
                # Release: who comes through the new link must find the rest complete.
                yield link.store(rest, RELEASE)
                yield self.active_nodes.fetch_add(-1, RELAXED)
                yield from self.rcu.call_rcu(node.rcu)
                taken = taken + 1
            else:
                yield node.used.store(0, RELAXED)
                link = node.next
            node = rest
        return taken
