"""What the three access vector caches share: sizes, hash, a decision's words, the security server.

An access vector cache (AVC) remembers decisions of SELinux's security server: may a subject of
type ``ssid`` do ``requested`` (a set of bits) to an object of type ``tsid`` and class
``tclass``? A decision is five words: ``allowed``, ``decided`` (the bits that the server has
judged), ``auditallow``, ``auditdeny`` and ``seqno`` (the policy's number). The kernel copies
all five before it lets the entry go, so the caches load all five.

Sizes and hash are those of Linux 2.6.8, security/selinux/avc.c: 512 slots, 410 nodes. A node
has 64-bit words where the kernel has 32 and 16 bits: on 128-byte lines it fills one line as it
does there, on 64-byte lines it needs two; the words of the search and ``used`` are on the
first.

The security server is a fixed time on the CPU and a formula for its policy. Only two things matter
here: a miss is expensive, and it happens outside the cache's lock.
"""

from locksim.lang import *

N_SLOTS = 512
N_NODES = 410
RECLAIM = 16
ALL_BITS = 0xFFFFFFFF
SEQNO = 1


class AVC(Struct):
    """What every AVC has (Linux 2.6.8, security/selinux/avc.c).

    Arguments:
        n_slots: hash slots, a power of two.
        check_ps: register work of one check in picoseconds, done before the cache is touched.
        search_ps: register work of hashing, comparing and copying in picoseconds, done inside the
            lock (or read-side section).
        store_used: 1 stores the ``used`` mark on every hit, 0 only where it is not set already.
        security_server_ps: time in which the security server computes one decision.
    """

    n_slots = param(N_SLOTS)
    check_ps = param(0)
    search_ps = param(0)
    store_used = param(1)
    security_server_ps = param(20 * US)

    def slot_of(self, ssid, tsid, tclass):
        return (ssid ^ (tsid << 2) ^ (tclass << 4)) & (self.n_slots - 1)

    def policy(self, ssid, tsid, tclass):
        # All bits but one, which depends on the key.
        return ALL_BITS & ~(1 << ((ssid + 3 * tsid + 5 * tclass) % 32))

    def compute_av(self, ssid, tsid, tclass):
        yield compute(self.security_server_ps)
        return self.policy(ssid, tsid, tclass)
