"""The node pool of the old access vector cache: hash chains, insertion and clock-style reclaim.

Mechanism. All nodes exist from the start, on a free list. A chain hangs off each hash slot; a
new node goes to its head. When the free list is empty a hand goes round the slots: a node that
was used since the hand's last visit loses its mark and stays, the first one without a mark is
taken out of its chain and reused.

Invariant. A node is on the free list or on exactly one chain. Every program here but ``search``
needs the cache's lock for itself; ``search`` needs that no other CPU changes a chain meanwhile.

Difference from the kernel. 2.6.8 puts a second node into the chain when two CPUs miss the same
key at once, and refuses it if the policy has changed since the decision was computed. Here the
second insertion leaves the first one's node as it is: an update may have changed it meanwhile.
"""

from locksim.lang import *
from locksim.library.avc.avc import ALL_BITS, AVC, N_NODES, SEQNO


class AvcNode(Struct):
    """An entry: key, link, decision and mark (struct avc_node of Linux 2.6.8)."""

    ssid = word()
    tsid = word()
    tclass = word()
    next = pointer("AvcNode")
    decided = word()
    allowed = word()
    used = word()
    seqno = word()
    auditallow = word()
    auditdeny = word()


class PoolAVC(AVC):
    """Chains of pooled nodes; how they are locked is left to the caches (Linux 2.6.8, avc.c).

    Arguments:
        n_nodes: nodes in the pool.
    """

    n_nodes = param(N_NODES)
    free_list = pointer(AvcNode)
    active_nodes = word()
    hand = word()
    slots = array("n_slots", pointer(AvcNode))
    nodes = array("n_nodes", AvcNode, padded=True)

    def setup(self):
        assert (self.n_slots & (self.n_slots - 1)) == 0
        for i in range(self.n_nodes):
            node = self.nodes[i]
            first = yield self.free_list.load(RELAXED)
            yield node.next.store(first, RELAXED)
            yield self.free_list.store(node, RELAXED)

    def search(self, ssid, tsid, tclass):
        node = yield self.slots[self.slot_of(ssid, tsid, tclass)].load(RELAXED)
        while node:
            if (
                (yield node.ssid.load(RELAXED)) == ssid
                and (yield node.tclass.load(RELAXED)) == tclass
                and (yield node.tsid.load(RELAXED)) == tsid
            ):
                return node
            node = yield node.next.load(RELAXED)
        return node

    def lookup(self, ssid, tsid, tclass, requested):
        # An entry helps only if the server has judged every bit that is asked for.
        node = yield from self.search(ssid, tsid, tclass)
        if node and requested & ~(yield node.decided.load(RELAXED)):
            return NULL
        return node

    def mark_used(self, node: AvcNode):
        if self.store_used or (yield node.used.load(RELAXED)) != 1:
            yield node.used.store(1, RELAXED)

    def copy_decision(self, node: AvcNode):
        # The whole decision is read, as the kernel copies it; a check needs only "allowed".
        allowed = yield node.allowed.load(RELAXED)
        yield node.decided.load(RELAXED)
        yield node.auditallow.load(RELAXED)
        yield node.auditdeny.load(RELAXED)
        yield node.seqno.load(RELAXED)
        return allowed

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
            yield node.auditallow.store(0, RELAXED)
            yield node.auditdeny.store(ALL_BITS, RELAXED)
            yield node.seqno.store(SEQNO, RELAXED)
        yield node.used.store(1, RELAXED)
        return node

    def claim(self):
        node = yield self.free_list.load(RELAXED)
        if not node:
            return (yield from self.reclaim())
        rest = yield node.next.load(RELAXED)
        yield self.free_list.store(rest, RELAXED)
        active = yield self.active_nodes.load(RELAXED)
        yield self.active_nodes.store(active + 1, RELAXED)
        return node

    def reclaim(self):
        hand = yield self.hand.load(RELAXED)
        while True:
            before = NULL
            node = yield self.slots[hand].load(RELAXED)
            while node:
                rest = yield node.next.load(RELAXED)
                if (yield node.used.load(RELAXED)) == 0:
                    if before:
                        yield before.next.store(rest, RELAXED)
                    else:
                        yield self.slots[hand].store(rest, RELAXED)
                    yield self.hand.store(hand, RELAXED)
                    return node
                yield node.used.store(0, RELAXED)
                before = node
                node = rest
            hand = (hand + 1) & (self.n_slots - 1)

    def grant(self, ssid, tsid, tclass, granted):
        node = yield from self.search(ssid, tsid, tclass)
        if not node:
            return 0
        allowed = yield node.allowed.load(RELAXED)
        yield node.allowed.store(allowed | granted, RELAXED)
        return 1
