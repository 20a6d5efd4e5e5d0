"""What Franke's message of 2001 proposed and could not yet measure, on its machine.

Chatroom with SELinux at 8 CPUs and ten rooms, everything as fitted, and one thing changed: the
access vector cache under RCU, its lock split by colour (2 to 64 ways), and a run queue for each
CPU, alone and together. ``python -m locksim.experiments.franke_2001_what_if`` prints the table.
"""

from __future__ import annotations

from dataclasses import dataclass

from locksim import machine as machines
from locksim.caches.avc_rcu import AvcRCU
from locksim.experiments import franke_2001
from locksim.experiments.franke_2001 import MACHINE, MESSAGES, REPLICATIONS, Costs
from locksim.lang import Struct
from locksim.simulation import Interval, interval

COLOURS = (2, 4, 8, 16, 32, 64)


@dataclass(frozen=True, slots=True)
class Row:
    """One variant.

    Arguments:
        variant: what was changed. throughput: messages a second.
        avc_wait, run_queue_wait: shares of all CPUs' time spent waiting for the two locks.
    """

    variant: str
    throughput: Interval
    avc_wait: float
    run_queue_wait: float


def table(
    cpus: int = 8,
    rooms: int = 10,
    *,
    colours: tuple[int, ...] = COLOURS,
    costs: Costs | None = None,
    messages: int = MESSAGES,
    replications: int = REPLICATIONS,
    seed: int = 1,
) -> list[Row]:
    """Simulate the kernels as they were, and each variant.

    Arguments:
        cpus, rooms: where. colours: ways in which avc_lock is split.
        costs: instead of the fitted ones. messages: a user. replications, seed: as elsewhere.
    """
    profile = machines.load(MACHINE)
    used = costs or Costs()

    def row(
        variant: str, kernel: str = "selinux", cache: Struct | None = None, per_cpu: int = 0
    ) -> Row:
        runs = franke_2001.sample(
            profile,
            kernel,
            rooms,
            cpus,
            used,
            replications=replications,
            seed=seed,
            messages=messages,
            cache=cache,
            per_cpu=per_cpu,
        )
        return Row(
            variant,
            interval([r.throughput for r in runs]),
            _waiting(runs, "avc_lock"),
            _waiting(runs, "runqueue_lock"),
        )

    rcu = AvcRCU(search_ps=used.search_ps)
    return [
        row("vanilla, as it is", "vanilla"),
        row("vanilla, per-CPU run queues", "vanilla", per_cpu=1),
        row("SELinux, as it is"),
        *(
            row(f"avc_lock split {n} ways", cache=franke_2001.coloured(n, search_ps=used.search_ps))
            for n in colours
        ),
        row("AVC under RCU", cache=rcu),
        row("per-CPU run queues", per_cpu=1),
        row("AVC under RCU, per-CPU run queues", cache=rcu, per_cpu=1),
    ]


def main() -> None:
    """Print the table."""
    from rich.console import Console
    from rich.table import Table

    view = Table(title="Chatroom, 10 rooms, 8 CPUs of 2001: one thing changed at a time")
    for name in ("variant", "messages/s", "95 % interval", "waiting for avc", "for run queue"):
        view.add_column(name)
    for row in table():
        t = row.throughput
        view.add_row(
            row.variant,
            f"{t.mean:,.0f}",
            f"{t.low:,.0f} to {t.high:,.0f}",
            f"{row.avc_wait:.1%}",
            f"{row.run_queue_wait:.1%}",
        )
    Console().print(view)


def _waiting(runs: list[franke_2001.Run], lock: str) -> float:
    waited = sum(r.locks[lock]["wait_ps"] for r in runs) / 1e12
    return waited / sum(r.seconds * r.cpus for r in runs)


if __name__ == "__main__":
    main()
