"""The access vector cache of the SELinux kernel that IBM measured on Linux 2.4.3.

Mechanism. As in 2.6.8 (``avc_spinlock``): one global lock, taken with interrupts off, held over the
search and the copy of the decision. There are two differences. The cache counts its lookups, probes
and hits, under the lock, so the counters' lines go where the lock goes. And the security server has
a lock of its own, ``ss_lock``: a miss takes it to compute a decision, and the network code takes it
to find the label of an interface or a node (``sid_lookup``), once or more a packet.

Invariant. Every read and write of a slot, a node or a counter of the cache happens under
``lock``; ``ss_lock`` is only taken while ``lock`` is free, so the two never wait for each other.

Cost in line transfers. On one CPU: none. Beyond the lock's own, a check by a CPU that did not make
the last one moves the node's line with ``used`` and the counters' lines, a read and an upgrade
each: the hold time grows with the number of CPUs though the code does not change.

Split by colour (``AvcColoured``): the key's hash chooses one of ``n_colours`` caches, each with its
own lock, slots and counters. It helps as far as the load's keys have different colours: a load that
asks for four keys uses at most four locks, however many colours there are.

Fairness. That of the locks.

Not modelled. Interrupts, auditing, and the reference from an object to its entry: it saves the
hash, which is register work here (``search_ps``), and neither the lock nor a shared line.
"""

from locksim.lang import *
from locksim.library.avc.avc import ALL_BITS, SEQNO
from locksim.library.avc.avc_spinlock import AvcSpinlock
from locksim.library.locks.ttas import TTASLock

__all__ = ["AvcTwoFour", "AvcColoured", "SecurityServer"]  # noqa: RUF022 - the first is the entry


class SecurityServer(Struct):
    """The policy and the table of labels under one lock (SELinux for Linux 2.4.3, ss_lock).

    Arguments:
        sid_lookup_ps: work of finding one label, under the lock, in picoseconds.
    """

    sid_lookup_ps = param(100 * NS)
    lock = part(TTASLock, padded=True)
    seqno = word(SEQNO)
    sids = array(8, word(1))

    def sid_lookup(self, which):
        yield from self.lock.acquire()
        yield compute(self.sid_lookup_ps)
        sid = yield self.sids[which].load(RELAXED)
        yield from self.lock.release()
        return sid


class AvcStatistics(Struct):
    """Counters of the cache: references to entries, and the hash (avc_cache_stats of 2.4.3).

    Eight counters in the kernel's order. Four words fill a line of 32 bytes, so the eight counters
    fill two lines. The kernel's counters are half as long and would fit one line, but they are not
    aligned and so touch two lines as well.
    """

    entry_lookups = word()
    entry_hits = word()
    entry_misses = word()
    entry_discards = word()
    lookups = word()
    hits = word()
    probes = word()
    misses = word()


class AvcTwoFour(AvcSpinlock):
    """AVC under one global spinlock, with counters, and the security server's lock (2.4.3)."""

    statistics = part(AvcStatistics, padded=True)
    server = part(SecurityServer, padded=True)

    def find(self, ssid, tsid, tclass, requested):
        references = yield self.statistics.entry_lookups.load(RELAXED)
        yield self.statistics.entry_lookups.store(references + 1, RELAXED)
        lookups = yield self.statistics.lookups.load(RELAXED)
        yield self.statistics.lookups.store(lookups + 1, RELAXED)
        node = yield from self.lookup(ssid, tsid, tclass, requested)
        probes = yield self.statistics.probes.load(RELAXED)
        yield self.statistics.probes.store(probes + 1, RELAXED)
        if node:
            hits = yield self.statistics.hits.load(RELAXED)
            yield self.statistics.hits.store(hits + 1, RELAXED)
        return node

    def compute_av(self, ssid, tsid, tclass):
        yield from self.server.lock.acquire()
        yield self.server.seqno.load(RELAXED)
        yield compute(self.security_server_ps)
        yield from self.server.lock.release()
        return self.policy(ssid, tsid, tclass)


class AvcColoured(Struct):
    """The 2.4.3 cache split by colour: a key's hash chooses one of several caches.

    Arguments:
        n_colours: caches, each with a lock of its own; :func:`coloured` shares the nodes out.
    """

    n_colours = param(8)
    caches = array("n_colours", AvcTwoFour)

    def has_perm(self, ssid, tsid, tclass, requested):
        colour = self.colour_of(ssid, tsid, tclass)
        return (yield from self.caches[colour].has_perm(ssid, tsid, tclass, requested))

    def update(self, ssid, tsid, tclass, granted):
        colour = self.colour_of(ssid, tsid, tclass)
        return (yield from self.caches[colour].update(ssid, tsid, tclass, granted))

    def colour_of(self, ssid, tsid, tclass):
        # Fibonacci hashing: neighbouring keys get different colours.
        mixed = ((ssid ^ (tsid << 2) ^ (tclass << 4)) * 2654435769) & ALL_BITS
        return (mixed >> 16) % self.n_colours

    def syscall_exit(self):
        yield fence(RELEASE)
