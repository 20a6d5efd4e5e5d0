"""What load does to one line of a large machine, with one mechanism changed at a time.

All CPUs add to one word, on 64 cores of `xeon-8176-8x28`, eight in each socket. The order in which
the CPUs come for the first time is drawn anew in each run (:func:`orders`), and nothing else
differs between the runs of a row.

- *Arbitration*: who of the waiting requests is served next. First come first served keeps the
  order of the start for the whole run. Whether neighbours in that order sit in one socket then
  decides the result.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from locksim import machine as machines
from locksim.engine.counters import CPU_COUNTERS
from locksim.library.probes.contended_add import ContendedAdd
from locksim.machine import Machine
from locksim.study.simulation import Simulation, simulate

if TYPE_CHECKING:
    from rich.table import Table

PROFILE, EACH = "xeon-8176-8x28", 8
_FROM_NODE = CPU_COUNTERS.index("from_node")


@dataclass(frozen=True, slots=True)
class Row:
    """One variant.

    Arguments:
        variant: what the machine does.
        addition_ns: the time from one addition of the machine to the next, for each order of start.
        near: share of the line's transfers that came from a core of the same socket.
    """

    variant: str
    addition_ns: tuple[float, ...]
    near: float

    @property
    def mean_ns(self) -> float:
        """The mean over the orders."""
        return sum(self.addition_ns) / len(self.addition_ns)

    @property
    def band(self) -> float:
        """The slowest order over the fastest: 1 if the order of the start does not matter."""
        return max(self.addition_ns) / min(self.addition_ns)


def orders(profile: Machine, runs: int, each: int = EACH) -> list[list[int]]:
    """CPU numbers in the order in which they start, for each run: ``each`` of every node.

    The first is the best order (socket after socket), the second the worst (round the sockets), and
    the others are random.
    """
    nodes, cores = profile.topology.nodes, profile.topology.cores_per_node
    by_node = [node * cores + core for node in range(nodes) for core in range(each)]
    round_nodes = [node * cores + core for core in range(each) for node in range(nodes)]
    shuffled = [random.Random(seed).sample(by_node, len(by_node)) for seed in range(runs - 2)]
    return [by_node, round_nodes, *shuffled]


def table(runs: int = 6, operations: int = 200, each: int = EACH) -> list[Row]:
    """Simulate the machine as it is, and each variant."""
    profile = machines.load(PROFILE)

    def row(variant: str, **settings: Any) -> Row:
        changed = profile.with_protocol(**settings)
        found = [
            _simulate(changed, placement, operations) for placement in orders(profile, runs, each)
        ]
        near = sum(s.replications[0].cpu[:, _FROM_NODE].sum() for s in found)
        lines = sum(s.replications[0].lines.max() for s in found)
        times = tuple(s.operation_ps().mean / s.cpus / 1e3 for s in found)
        return Row(variant, times, float(near / lines))

    return [
        row("first come, first served"),
        row("nearest first, passed 8 times", arbitration="near", arbitration_passes=8),
        row("nearest first, passed 64 times", arbitration="near", arbitration_passes=64),
        row("any of those that wait", arbitration="random"),
    ]


def view() -> Iterator[Table | str]:
    """Yield the table of docs/ABLATIONS.md."""
    from rich.table import Table

    shown = Table(title=f"{PROFILE}: additions of 64 CPUs to one word")
    for name in ("variant", "ns an addition", "slowest / fastest order", "line from the socket"):
        shown.add_column(name)
    for row in table():
        shown.add_row(row.variant, f"{row.mean_ns:.0f}", f"{row.band:.2f}", f"{row.near:.0%}")
    yield shown


def _simulate(profile: Machine, placement: list[int], operations: int) -> Simulation:
    return simulate(
        ContendedAdd(),
        machine=profile,
        cpus=len(placement),
        placement=placement,
        operations=operations,
        replications=1,
    )
