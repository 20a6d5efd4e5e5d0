"""No access check at all: what the kernel does with SELinux disabled.

Every program consists of a fence that takes no time, so that a workload runs unchanged and what
remains is its other work. Cost in line transfers: none. It is the baseline of the kaigai-2004
table.
"""

from locksim.lang import *

__all__ = ["NoCheck"]


class NoCheck(Struct):
    """Grants everything at no cost (the row "SELinux disabled" of kaigai-2004)."""

    def has_perm(self, ssid, tsid, tclass, requested):
        yield fence(ACQUIRE)
        return 0

    def update(self, ssid, tsid, tclass, granted):
        yield fence(ACQUIRE)
        return 0

    def syscall_exit(self):
        yield fence(RELEASE)
