"""Checks of more keys than the cache has room for, with an update now and then.

rcutest always asks for one key and never misses. Here keys come from a larger range, some far more
often than others, so that searches walk chains, misses fill the cache, reclaim takes entries out
and updates replace them: the whole cache works. One unit of work is one check or one update.
"""

from locksim.lang import *
from locksim.library.avc.avc_spinlock import AvcSpinlock

__all__ = ["AvcMix"]

TCLASS = 6
SUBJECTS = 32
REQUESTED = 0xFF


class AvcMix(Workload):
    """A read-mostly load on an access vector cache, with misses, reclaim and updates.

    Arguments:
        n_keys: different keys, at least 1; more than the cache's entries make it reclaim.
        skew: 1 draws low keys more often (uniform below a uniform bound), 0 draws all alike.
        updates_per_thousand: updates among 1000 units of work.
        other_ps: work of one unit outside the cache, in picoseconds.
    """

    n_keys = param(1024)
    skew = param(1)
    updates_per_thousand = param(1)
    other_ps = param(1600 * NS)
    cache = part(AvcSpinlock)

    def thread(self):
        yield compute(random_below(self.other_ps + 1))
        while True:
            yield compute(self.other_ps)
            key = random_below(self.n_keys)
            if self.skew:
                key = random_below(key + 1)
            ssid = 1 + key % SUBJECTS
            tsid = 1 + key // SUBJECTS
            if random_below(1000) < self.updates_per_thousand:
                yield from self.cache.update(ssid, tsid, TCLASS, REQUESTED)
            else:
                yield from self.cache.has_perm(ssid, tsid, TCLASS, REQUESTED)
            yield from self.cache.syscall_exit()
            yield done()
