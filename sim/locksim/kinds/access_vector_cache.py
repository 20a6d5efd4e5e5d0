"""Access vector caches: what the kernel asks at every permission check.

They have no base class of their own: ``has_perm`` makes a struct one.
"""

from __future__ import annotations

from locksim.kinds.kind import StructKind
from locksim.kinds.load import LoadError, LoadSettings
from locksim.lang import NS, Struct, Workload
from locksim.library.workloads.avc_mix import AvcMix
from locksim.library.workloads.rcutest import RcuTest


class AccessVectorCacheKind(StructKind):
    """``has_perm``, ``update`` and ``syscall_exit``."""

    base = Struct
    methods = ("has_perm",)
    unit = "permission checks"
    paced = False

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """Permission checks."""
        return checks(struct, settings)

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """Permission checks and updates. A miss is cheap, so that more happens."""
        cheap = {"security_server_ps": think_ps} if "security_server_ps" in struct.FIELDS else {}
        return checks_and_updates(struct(**cheap), think_ps)


def checks(cache: Struct | type[Struct], settings: LoadSettings) -> Workload:
    """A load of permission checks.

    Raises:
        LoadError: without time between two checks.
    """
    if settings.think_ps < NS:
        raise LoadError(
            f"--think must be at least 1 ns for a decision cache (got {settings.think_ps // NS})"
        )
    jitter_ps = settings.think_ps // 10
    return RcuTest(cache=cache, other_ps=settings.think_ps, jitter_ps=jitter_ps)


def checks_and_updates(cache: Struct, think_ps: int) -> list[Workload]:
    """Loads of permission checks, and of those with updates among them."""
    mix = AvcMix(cache=cache, other_ps=think_ps, n_keys=8, updates_per_thousand=100)
    return [RcuTest(cache=cache, other_ps=think_ps, jitter_ps=think_ps // 10), mix]
