"""A row of lmbench: one call after another by one process, with its access checks.

One unit of work is one call, or one round trip. It has three parts: the time that it takes without
SELinux; every check of its path, asked of the access vector cache for an object of its own (a path
walks different directories); and the work that is not a check. A round trip between two hosts
passes one host after the other. The other host's checks go to a cache of its own, which is slower
there.
"""

from locksim.lang import *
from locksim.library.avc.avc_spinlock import AvcSpinlock

__all__ = ["Lmbench"]

SSID = 1
TSID = 10
TCLASS = 6
REQUESTED = 1


class Lmbench(Workload):
    """One lmbench test on one CPU.

    Arguments:
        base_ps: time of one call without checks, in picoseconds.
        checks: of one call here. there: on the other host.
        extra_ps: work of one call that is not a check: labels of new objects and of packets.
        n_objects: different objects that the checks go round, at least 1.
        cache, far_cache: the access vector caches of the two hosts.
    """

    base_ps = param(1000 * NS)
    checks = param(1)
    there = param(0)
    extra_ps = param(0)
    n_objects = param(8)
    cache = part(AvcSpinlock, padded=True)
    far_cache = part(AvcSpinlock, padded=True)

    def thread(self):
        while True:
            yield compute(self.base_ps)
            for i in range(self.checks):
                yield from self.cache.has_perm(SSID, TSID + i % self.n_objects, TCLASS, REQUESTED)
            for i in range(self.there):
                yield from self.far_cache.has_perm(
                    SSID, TSID + i % self.n_objects, TCLASS, REQUESTED
                )
            if self.extra_ps:
                yield compute(self.extra_ps)
            yield done()
