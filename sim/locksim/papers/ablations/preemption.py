"""Tasks that share CPUs and one lock: what it costs that a holder may lose its CPU.

Four cores of `xeon-e5-2680v4-2x14` run 4, 5, 8 and 16 tasks, each of which thinks for 10 us, works
for 1 us under the lock, and loses its CPU after 3 ms. The locks spin, or sleep (`futex`), or spin
while the owner has a CPU and else sleep (`mutex`, Linux's). The mechanism that is taken away is the
preemption of who has or wants the lock (*kept*), as a kernel's spinlocks do. The library's MCS lock
has a node for each CPU, so it is right only there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.ticket import TicketLock
from locksim.library.locks.ttas import TTASLock
from locksim.library.workloads.time_shared import (
    TimeShared,
    TimeSharedMutex,
    TimeSharedSleepers,
)
from locksim.study.simulation import simulate
from lockui.numbers import significant

if TYPE_CHECKING:
    from rich.table import Table

    from locksim.lang import Workload

PROFILE, CPUS, TASKS = "xeon-e5-2680v4-2x14", 4, (4, 5, 8, 16)
VARIANTS: dict[str, Workload] = {
    "ttas": TimeShared(lock=TTASLock),
    "ticket": TimeShared(lock=TicketLock),
    "futex": TimeSharedSleepers(),
    "mutex": TimeSharedMutex(),
    "ttas, kept": TimeShared(lock=TTASLock, kept=1),
    "ticket, kept": TimeShared(lock=TicketLock, kept=1),
    "mcs, kept": TimeShared(lock=MCSLock, kept=1),
}


@dataclass(frozen=True, slots=True)
class Cell:
    """A lock under some tasks.

    Arguments:
        section_us: the machine's time from one critical section to the next.
        waited_us: the longest of a thousand contended waits (the percentile 99.9).
        switches: context switches per section.
    """

    section_us: float
    waited_us: float
    switches: float


def cell(variant: str, tasks: int, sections: int = 4_000, seed: int = 1) -> Cell:
    """Simulate a variant.

    Arguments:
        variant: a key of ``VARIANTS``. tasks: how many share the CPUs.
        sections: measured critical sections, divided by the CPUs. seed: of the run.
    """
    load = VARIANTS[variant]
    load = type(load)(**load._params | load._parts | {"tasks": tasks})
    found = simulate(
        load, machine=PROFILE, cpus=CPUS, operations=sections, replications=1, seed=seed
    )
    (lock,) = (row for row in found.meters() if row["lock"] == "lock")
    return Cell(
        found.operation_ps().mean / CPUS / 1e6,
        float(lock["wait_p999_ns"]) / 1e3,
        found.per_operation("switches").mean,
    )


def view() -> Iterator[Table]:
    """Yield the tables of preemption.md."""
    from rich.table import Table

    rows = {v: [cell(v, tasks) for tasks in TASKS] for v in VARIANTS}
    for title, name in (
        ("µs from one section to the next", "section_us"),
        ("wait of one in a thousand, µs", "waited_us"),
        ("context switches a section", "switches"),
    ):
        shown = Table(title=f"{CPUS} CPUs of {PROFILE}: {title}")
        shown.add_column("lock")
        for tasks in TASKS:
            shown.add_column(f"{tasks} tasks", justify="right")
        for variant, cells in rows.items():
            shown.add_row(variant, *(significant(getattr(c, name)) for c in cells))
        yield shown
