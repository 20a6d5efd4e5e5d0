"""Workloads: a user's own runs, and is checked, as it is."""

from __future__ import annotations

from locksim.core.client import Client
from locksim.kinds.kind import StructKind
from locksim.kinds.load import LoadSettings
from locksim.lang.struct import Struct, Workload, tasks_of


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

    def clients(self, struct: Struct | type[Struct], threads: int, rounds: int) -> list[Client]:
        """The workload itself.

        Raises:
            CheckError: it schedules threads of its own, or rounds are asked for.
        """
        from locksim.checker.errors import CheckError

        workload = struct() if isinstance(struct, type) else struct
        assert isinstance(workload, Workload)
        name = type(workload).__name__
        if rounds != 1:
            raise CheckError(
                f"{name} is a workload: its thread() says how often it does what\n"
                "help: leave --rounds out"
            )
        if tasks_of(workload):
            raise CheckError(
                f"{name} has tasks: the checker runs one thread on each CPU, and no other\n"
                "help: move the work of the tasks into thread()"
            )
        return [Client(name, workload)]

    def livelock_limit_ps(self, cpus: int, settings: LoadSettings) -> None:
        """Nothing is known about the time that a unit of its work takes."""
