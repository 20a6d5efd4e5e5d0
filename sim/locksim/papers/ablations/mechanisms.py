"""kaigai-2004 without one of its mechanisms: the contribution of each one to the result.

- *No queueing at the line*: a line serves the next request after a hundredth of the transfer's
  latency. A request costs its own CPU as much as before. Without the queue there is no collapse
  and no plateau.
- *used = 1 on every hit* under RCU: the lock is gone, but the store remains, and the entry's line
  bounces.
- *Another lock* around the same cache at 32 CPUs: ticket, MCS and TAS against the TTAS lock of the
  kernel.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from locksim import machine as machines
from locksim.lang import Struct
from locksim.library.avc.avc_rcu import AvcRCU
from locksim.library.avc.avc_spinlock import AvcSpinlock
from locksim.library.locks.mcs import MCSLock
from locksim.library.locks.tas import TASLock
from locksim.library.locks.ticket import TicketLock
from locksim.machine import Machine
from locksim.papers.kaigai_2004.experiment import EXPERIMENT, Work, cache, inputs, wall_seconds

if TYPE_CHECKING:
    from rich.table import Table


@dataclass(frozen=True, slots=True)
class Row:
    """One variant of the experiment.

    Arguments:
        variant: the change. kernel: the row of the table without the change.
        seconds: CPUs → wall time of 5,000,000 iterations.
    """

    variant: str
    kernel: str
    seconds: dict[int, float]

    @property
    def growth(self) -> float:
        """Wall time at the most CPUs over that at the fewest: 1 is perfect scaling."""
        return self.seconds[max(self.seconds)] / self.seconds[min(self.seconds)]


def table(
    cpus: tuple[int, ...] = (4, 8, 16, 32), *, operations: int = 40, replications: int = 3
) -> list[Row]:
    """Simulate the unchanged experiment, and each ablation."""
    profile = machines.load("itanium2-32")
    unqueued = profile.with_protocol(line_busy_percent=1)
    work = inputs(profile)

    def row(variant: str, kernel: str, machine: Machine, struct: Struct | None = None) -> Row:
        return Row(
            variant,
            kernel,
            {n: _seconds(machine, kernel, n, work, struct, operations, replications) for n in cpus},
        )

    def spinlock(lock: type[Struct]) -> Struct:
        return AvcSpinlock(lock=lock, store_used=1, **work.check())

    return [
        *(row("unchanged", kernel, profile) for kernel in ("spinlock", "rwlock", "rcu")),
        *(row("no queueing at the line", kernel, unqueued) for kernel in ("spinlock", "rwlock")),
        row("used = 1 on every hit", "rcu", profile, AvcRCU(store_used=1, **work.check())),
        row("TAS lock", "spinlock", profile, spinlock(TASLock)),
        row("ticket lock", "spinlock", profile, spinlock(TicketLock)),
        row("MCS lock", "spinlock", profile, spinlock(MCSLock)),
    ]


def sensitivity(shares: tuple[float, ...] = (0.25, 0.5, 0.75)) -> dict[float, dict[str, float]]:
    """Errors of the predicted cells for other shares of a check's work inside the lock.

    Nothing is fitted again.
    """
    return {share: EXPERIMENT.reproduce(search_share=share).summary() for share in shares}


def view() -> Iterator[Table | str]:
    """Yield the table of ablations.md, then a line for each share in the sensitivity."""
    from rich.table import Table

    rows = table()
    shown = Table(title="kaigai-2004: wall time in seconds, one mechanism changed at a time")
    cpus = list(rows[0].seconds)
    for name in ("variant", "kernel", *(f"{n} CPUs" for n in cpus), f"{cpus[-1]} / {cpus[0]}"):
        shown.add_column(name)
    for row in rows:
        times = (f"{s:.1f}" for s in row.seconds.values())
        shown.add_row(row.variant, row.kernel, *times, f"{row.growth:.1f}")
    yield shown
    for share, summary in sensitivity().items():
        yield (
            f"share {share} of a check's work while the cache is held: error of predicted cells "
            f"mean {summary['mean_abs_error']:.1%}, worst {summary['worst_abs_error']:.1%}"
        )


def _seconds(
    machine: Machine,
    kernel: str,
    n: int,
    work: Work,
    struct: Struct | None,
    operations: int,
    replications: int,
) -> float:
    return wall_seconds(
        machine,
        kernel,
        n,
        work,
        operations=operations,
        replications=replications,
        cache_=struct or cache(kernel, work),
    ).mean
