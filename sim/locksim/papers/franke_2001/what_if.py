"""Proposals of Franke's message of 2001, which it could not measure, on its machine.

The base is Chatroom with SELinux at 8 CPUs and ten rooms, with the fitted costs. One thing changes:
the access vector cache under RCU, its lock split by colour (2 to 64 ways), or a run queue for each
CPU, alone and together. Rows are throughput and the shares of all CPUs' time spent waiting for the
cache's locks and for the run queues' locks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from locksim import machine as machines
from locksim.lang import Struct
from locksim.library.avc.avc_rcu import AvcRCU
from locksim.library.schedulers.percpu_queues import PerCpuQueues
from locksim.papers.franke_2001 import setting as franke_2001
from locksim.papers.franke_2001.setting import MACHINE, Costs, Run
from locksim.papers.what_if import Comparison, Runs, what_if
from locksim.study.simulation import interval

COLOURS = (2, 4, 8, 16, 32, 64)
CPUS = 8
ROOMS = 10
MEASURES: dict[str, tuple[Callable[[Run], float], str]] = {
    "throughput": (lambda run: run.throughput, "1/s"),
    "waiting for avc_lock": (lambda run: 100 * run.waiting_share("avc_lock"), "%"),
    "waiting for run queues": (lambda run: 100 * run.waiting_share("runqueue_lock"), "%"),
}
"""Column → value of a run, and its unit."""


@what_if(
    "franke-2001-chatroom-avc-split",
    of="franke-2001-chatroom",
    title="avc_lock split by colour, 2 to 64 ways, on the 8-way machine of 2001",
    change="the key's hash chooses one of n caches, each with a lock: Franke's first proposal",
)
def split(runs: Runs) -> Iterator[Comparison]:
    """Throughput and waiting by the number of colours."""
    search_ps = Costs().search_ps
    before = _sample(runs, "selinux")
    for i, n in enumerate(COLOURS):
        runs.report(f"{n} ways", (1 + i) / (1 + len(COLOURS)))
        after = _sample(runs, "selinux", cache=franke_2001.coloured(n, search_ps=search_ps))
        yield from _rows(f"{n} ways", before, after)


@what_if(
    "franke-2001-chatroom-avc-rcu",
    of="franke-2001-chatroom",
    title="The access vector cache under RCU on the 8-way machine of 2001",
    change="look-ups take no lock: Franke's second proposal, implemented in 2004",
)
def rcu(runs: Runs) -> Iterator[Comparison]:
    """With 2.4's run queue, and with per-CPU run queues on both sides."""
    cache = AvcRCU(search_ps=Costs().search_ps)
    for i, (row, scheduler) in enumerate(_SCHEDULERS.items()):
        runs.report(row, i / len(_SCHEDULERS))
        before = _sample(runs, "selinux", scheduler=scheduler)
        yield from _rows(row, before, _sample(runs, "selinux", scheduler=scheduler, cache=cache))


@what_if(
    "franke-2001-chatroom-run-queues",
    of="franke-2001-chatroom",
    title="A run queue for each CPU on the 8-way machine of 2001",
    change="as in 2.6: a list and a lock per CPU, no walk over all runnable tasks",
)
def run_queues(runs: Runs) -> Iterator[Comparison]:
    """Without SELinux, with SELinux, and with its cache under RCU."""
    kinds: dict[str, tuple[str, Struct | None]] = {
        "vanilla": ("vanilla", None),
        "SELinux": ("selinux", None),
        "SELinux, AVC under RCU": ("selinux", AvcRCU(search_ps=Costs().search_ps)),
    }
    for i, (row, (kernel, cache)) in enumerate(kinds.items()):
        runs.report(row, i / len(kinds))
        before = _sample(runs, kernel, cache=cache)
        yield from _rows(row, before, _sample(runs, kernel, cache=cache, scheduler=PerCpuQueues()))


_SCHEDULERS: dict[str, Struct | None] = {
    "2.4's run queue": None,
    "a run queue per CPU": PerCpuQueues(),
}


def _sample(runs: Runs, kernel: str, **options: Any) -> list[Run]:
    return franke_2001.sample(
        machines.load(MACHINE),
        kernel,
        ROOMS,
        CPUS,
        Costs(),
        replications=runs.replications,
        seed=runs.seed,
        messages=franke_2001.BRIEF_MESSAGES,
        **options,
    )


def _rows(row: str, before: list[Run], after: list[Run]) -> Iterator[Comparison]:
    for column, (measure, unit) in MEASURES.items():
        yield Comparison(
            row,
            column,
            interval([measure(run) for run in before]),
            interval([measure(run) for run in after]),
            unit,
            "higher" if column == "throughput" else "lower",
        )
