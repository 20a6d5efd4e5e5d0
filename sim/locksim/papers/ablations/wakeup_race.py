"""Placement of two processes that wake each other by the 2.4 scheduler (lmbench.md).

On a machine of eight CPUs a process writes to another one, which wakes it, and goes on to read. If
they shared a CPU, the other process's last CPU is busy with the writer. Then ``reschedule_idle``
sends an interrupt to an idle CPU. The first CPU takes the woken process: the writer's CPU, if the
writer sleeps before the idle CPU has found the run queue, else the idle CPU. Either placement is
stable. The next wake-up finds the two on one CPU again, or each with an idle CPU of its own. So a
little more work between waking and sleeping, such as the access checks of a read, can move one of
the processes for good.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from locksim import machine as machines
from locksim.engine.counters import CPU_COUNTERS
from locksim.lang import NS
from locksim.library.schedulers.linux_2_4 import LinuxTwoFour
from locksim.library.workloads.token_ring import TokenRing
from locksim.machine import Machine
from locksim.papers.franke_2001 import setting as franke_2001
from locksim.study.simulation import simulate

if TYPE_CHECKING:
    from rich.table import Table

CPUS = 8
CHECK_NS = 180
"""One access check on the 700 MHz Pentium III (null I/O, franke-2001)."""
BEFORE = (0, 6, 12, 15, 18, 21, 24, 30, 60)
"""Work between the wake-up and sleeping, in checks."""
WORK_NS = (2000, 6000)
"""Work between reading and writing, in nanoseconds."""


@dataclass(frozen=True, slots=True)
class Pass:
    """A message from one process to the other.

    Arguments:
        time_us: from one message to the next. cpus: the CPUs that ran one of the processes.
    """

    time_us: float
    cpus: int


def machine() -> Machine:
    """The 8-way Pentium III, with the switch that makes lmbench's 2p/0K on one CPU."""
    return franke_2001.machine_of(machines.load(franke_2001.MACHINE), franke_2001.Costs())


def passed(profile: Machine, before_ns: int, work_ns: int, *, seed: int = 1) -> Pass:
    """Two processes that write to each other, in their stable placement.

    Arguments:
        profile: the machine. before_ns: work between the wake-up and sleeping.
        work_ns: work between reading and writing. seed: seed of the run.
    """
    ring = TokenRing(
        tasks=2,
        ring=2,
        before_ps=before_ns * NS,
        work_ps=work_ns * NS,
        scheduler=LinuxTwoFour(),
    )
    run = simulate(
        ring, machine=profile, cpus=CPUS, operations=100, warmup=50, replications=1, seed=seed
    )
    done = run.replications[0].cpu[:, CPU_COUNTERS.index("done")]
    return Pass(run.operation_ps().mean / CPUS / 1e6, int(np.count_nonzero(done)))


def view() -> Iterator[Table]:
    """Yield the table of lmbench.md."""
    from rich.table import Table

    profile = machine()
    shown = Table(title=f"two processes on {CPUS} CPUs: µs per message, and their CPUs")
    shown.add_column("checks before sleeping", justify="right")
    for work_ns in WORK_NS:
        shown.add_column(f"{work_ns / 1000:g} µs of work", justify="right")
        shown.add_column("CPUs", justify="right")
    for checks in BEFORE:
        cells: list[str] = []
        for work_ns in WORK_NS:
            one = passed(profile, checks * CHECK_NS, work_ns)
            cells += [f"{one.time_us:.2f}", str(one.cpus)]
        shown.add_row(str(checks), *cells)
    yield shown
