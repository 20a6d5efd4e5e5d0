"""Schedulers: which thread a CPU runs."""

from __future__ import annotations

from locksim.kinds.kind import StructKind
from locksim.kinds.load import LoadSettings
from locksim.lang import Struct, Workload
from locksim.library.schedulers.interface import Scheduler
from locksim.library.workloads.token_ring import TokenRing


class SchedulerKind(StructKind):
    """See :mod:`locksim.library.schedulers.interface`."""

    base = Scheduler
    unit = "tokens passed on"
    paced = False

    def plain_load(self, struct: type[Struct], settings: LoadSettings) -> Workload:
        """Tasks that pass tokens round a ring."""
        return TokenRing(scheduler=struct, tasks=settings.tasks, work_ps=settings.think_ps)

    def test_loads(self, struct: type[Struct], think_ps: int) -> list[Workload]:
        """More tasks than CPUs; or one, which even a scheduler without run queues can run."""
        tasks = 5 if struct.FIELDS.keys() - Scheduler.FIELDS.keys() else 1
        return [TokenRing(scheduler=struct, tasks=tasks, work_ps=think_ps)]
