"""Workloads: a user's own runs as it is, and is checked by ``check_workload``."""

from __future__ import annotations

from locksim.kinds.kind import StructKind
from locksim.kinds.load import LoadSettings
from locksim.lang.struct import Struct, Workload


class WorkloadKind(StructKind):
    """What the CPUs run: there is nothing to put around it."""

    base = Workload
    unit = "units of work"
    paced = False

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """The workload itself, with its own settings."""
        assert issubclass(struct, Workload)
        return struct()

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """The workload itself."""
        assert issubclass(struct, Workload)
        return [struct()]

    def livelock_limit_ps(self, cpus: int, settings: LoadSettings) -> None:
        """Nothing is known about the time that a unit of its work takes."""
