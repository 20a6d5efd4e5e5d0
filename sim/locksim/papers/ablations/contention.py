"""What load does to a line of a large machine, with one mechanism changed at a time.

All on cores of `xeon-8176-8x28`:

- *Arbitration*: who of the waiting requests is served next. 64 CPUs add to one word, eight in each
  socket. First come first served keeps the order of the start for the whole run. Whether neighbours
  in that order sit in one socket then decides the result.
- *The spread of line hold times*: two CPUs of one socket add. A hold time of a single value allows
  a whole number of additions, so that the time of one moves in steps.
- *Private work behind a miss*: the same two CPUs think between two additions. A core that does one
  thing at a time adds the thinking to the miss.
- *Far atomics*: the 64 CPUs again, who add where the line is at home.
- *Two threads of a core* that both do private work.
- *Links*: pairs of CPUs add, each to a word of its own. Without links they do not disturb each
  other, however many there are.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from locksim import machine as machines
from locksim.engine.counters import CPU_COUNTERS
from locksim.lang import RELAXED, Program, Workload, compute, cpu, done, param, pause, percpu, word
from locksim.library.probes.contended_add import ContendedAdd
from locksim.machine import Machine
from locksim.machine.profile import parse
from locksim.study.simulation import Simulation, simulate

if TYPE_CHECKING:
    from rich.table import Table

Extra = tuple[float, str] | tuple[float, str, float, float]
"""A cost in nanoseconds and its source, and the range in which it is assumed to lie."""
PROFILE, EACH = "xeon-8176-8x28", 8
LINKS = {
    "occupancy.link.socket": (
        5.6,
        "64 bytes and their header over a QuickPath link of 12.8 GB/s (Intel, 2009)",
    ),
    "occupancy.home.socket": (5.0, "some ten cycles of a home agent for each request"),
}
FAR = {
    "far_atomic.node": (50.0, "some node-local transfer: a request to the home and its answer"),
    "far_atomic.socket": (150.0, "some transfer from another socket"),
    "far_atomic.interconnect": (330.0, "some transfer across the interconnect"),
    "occupancy.far_atomic": (5.0, "some ten cycles of an arithmetic unit at the home"),
}
AHEAD = {
    "run_ahead": (30.0, "private work of 3 to 28 ns hides behind a miss (docs/use/calibration.md)")
}
HELD_NS = (0, 4, 8, 10, 12, 16, 18, 24, 32)
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


@dataclass(frozen=True, slots=True)
class Step:
    """One line hold time of two CPUs, in ns.

    Arguments:
        tenure_ns: its mean.
        single_ns: the time from one addition to the next if each is held so long.
        spread_ns: if each hold time is drawn from 0 to twice the mean.
    """

    tenure_ns: int
    single_ns: float
    spread_ns: float


class Pairs(Workload):
    """CPUs 0 and 1 add to one word, CPUs 2 and 3 to another, and so on."""

    own = percpu(word())

    def thread(self) -> Program:
        """Add for ever."""
        while True:
            yield self.own[cpu() // 2 * 2].fetch_add(1, RELAXED)
            yield done()


class Working(Workload):
    """CPU 0 does private work of 100 ns; CPU 1 does so too, or waits in a loop with a pause.

    Arguments:
        resting: 1: CPU 1 pauses.
    """

    resting = param(0)

    def thread(self) -> Program:
        """Work for ever, or pause."""
        while True:
            if self.resting and cpu() == 1:
                yield pause()
            else:
                yield compute(100_000)
            yield done()


@dataclass(frozen=True, slots=True)
class Load:
    """Some pairs of CPUs, and the time in ns of one addition of a pair.

    Arguments:
        pairs: how many. apart: whether a pair's CPUs are in two sockets.
        free_ns: on the machine as it is. loaded_ns: with an occupancy of links and home agents.
    """

    pairs: int
    apart: bool
    free_ns: float
    loaded_ns: float


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
        return row_of(variant, profile.with_protocol(**settings))

    def row_of(variant: str, changed: Machine) -> Row:
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
        row_of("far atomics", further(profile, FAR, atomics="far")),
    ]


def steps(tenures_ns: tuple[int, ...] = HELD_NS, operations: int = 2_000) -> list[Step]:
    """Simulate two CPUs of a socket with each line hold time, without a spread and with one."""
    profile = machines.load(PROFILE)
    found = []
    for held in tenures_ns:
        machine = profile.with_costs(tenure=held * 1_000)
        times = [
            _simulate(machine.with_spread(tenure=share), [0, 1], operations).operation_ps().mean
            for share in (0, 1)
        ]
        found.append(Step(held, *(time / 2 / 1e3 for time in times)))
    return found


def thoughts(
    thinks_ns: tuple[int, ...] = (0, 3, 28, 100), operations: int = 1_000
) -> list[tuple[int, float, float]]:
    """Thinking time of two CPUs of a socket, and ns an addition without and with overlap."""
    machine = machines.load(PROFILE)
    found = []
    for think in thinks_ns:
        load = ContendedAdd(think_ps=think * 1_000)
        alone, ahead = (
            _simulate(profile, [0, 1], operations, load).operation_ps().mean / 2 / 1e3
            for profile in (machine, further(machine, AHEAD))
        )
        found.append((think, alone, ahead))
    return found


def threads(operations: int = 100) -> list[tuple[str, float, float]]:
    """Two threads of a core: what the second does, and ns a unit of 100 ns, of both together.

    The first value is that of the machine as it is, the second with ``shared_issue_percent = 150``.
    """
    machine = machines.load(PROFILE)
    found = []
    for name, load in (("works", Working()), ("pauses", Working(resting=1))):
        free, shared = (
            100e12
            / _simulate(profile, [0, machine.n_cpus // 2], operations, load)
            .per_second("compute_ps")
            .mean
            for profile in (machine, machine.with_protocol(shared_issue_percent=150))
        )
        found.append((name, free, shared))
    return found


def loads(pairs: tuple[int, ...] = (1, 28, 42, 56), operations: int = 100) -> list[Load]:
    """Simulate pairs across two sockets, then inside one, without and with links."""
    machine = machines.load(PROFILE)
    found = []
    for apart in (True, False):
        for n in pairs:
            if not apart and n > max(pairs) // 2:
                continue  # a socket has as many CPUs as a pair of sockets has pairs
            times = [
                _simulate(profile, _pairs(machine, n, apart), operations, Pairs())
                for profile in (machine, further(machine, LINKS))
            ]
            found.append(Load(n, apart, *(t.operation_ps().mean / 2 / 1e3 for t in times)))
    return found


def _pairs(machine: Machine, n: int, apart: bool) -> list[int]:
    """CPU numbers of pairs, on two hardware threads of a core where there are more than cores."""
    cores, all_cores = machine.topology.cores_per_node, machine.n_cpus // 2
    threads = [core + all_cores * thread for thread in (0, 1) for core in range(cores)]
    if apart:
        return [cpu + cores * socket for cpu in threads[:n] for socket in (0, 1)]
    return threads[: 2 * n]


def view() -> Iterator[Table | str]:
    """Yield the table of ablations.md."""
    from rich.table import Table

    shown = Table(title=f"{PROFILE}: additions of 64 CPUs to one word")
    for name in ("variant", "ns an addition", "slowest / fastest order", "line from the socket"):
        shown.add_column(name)
    for row in table():
        shown.add_row(row.variant, f"{row.mean_ns:.0f}", f"{row.band:.2f}", f"{row.near:.0%}")
    yield shown
    shown = Table(title=f"{PROFILE}: additions of two CPUs to one word, ns an addition")
    for name in ("line hold time, ns", "a single value", "spread = 1"):
        shown.add_column(name)
    for step in steps():
        shown.add_row(str(step.tenure_ns), f"{step.single_ns:.1f}", f"{step.spread_ns:.1f}")
    yield shown
    shown = Table(title=f"{PROFILE}: additions of two CPUs that think, ns an addition")
    for name in ("thinking, ns", "one thing at a time", "30 ns behind a miss"):
        shown.add_column(name)
    for think, alone, ahead in thoughts():
        shown.add_row(str(think), f"{alone:.1f}", f"{ahead:.1f}")
    yield shown
    shown = Table(title=f"{PROFILE}: two threads of a core, ns a unit of 100 ns")
    for name in ("the sibling", "nothing shared", "shared_issue_percent = 150"):
        shown.add_column(name)
    for name, alone, shared in threads():
        shown.add_row(name, f"{alone:.0f}", f"{shared:.0f}")
    yield shown
    shown = Table(title=f"{PROFILE}: pairs of CPUs, ns an addition of a pair")
    for name in ("pairs", "CPUs of a pair", "without links", "with links and home agents"):
        shown.add_column(name)
    for load in loads():
        where = "in two sockets" if load.apart else "in one socket"
        shown.add_row(str(load.pairs), where, f"{load.free_ns:.0f}", f"{load.loaded_ns:.0f}")
    yield shown


def further(machine: Machine, costs: Mapping[str, Extra], **protocol: Any) -> Machine:
    """Return a machine with further assumed costs by their dotted names, and settings."""
    data = machine.model_dump(by_alias=True, exclude_none=True)
    data["protocol"].update(protocol)
    for name, (value, source, *between) in costs.items():
        *outer, last = name.split(".")
        table: dict[str, Any] = data["cost"]
        for key in outer:
            table = table.setdefault(key, {})
        table[last] = {"value": value, "unit": "ns", "source": source, "role": "assumed"}
        table[last] |= dict(zip(("low", "high"), between, strict=False))
    return parse(data, f"{machine.name} with further costs")


def _simulate(
    profile: Machine, placement: list[int], operations: int, load: Workload | None = None
) -> Simulation:
    return simulate(
        load or ContendedAdd(),
        machine=profile,
        cpus=len(placement),
        placement=placement,
        operations=operations,
        replications=1,
    )
