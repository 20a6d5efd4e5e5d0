"""Which CPUs a run's threads get, on the machine that :mod:`.survey.topology` reads.

Only CPUs that are online count, and their numbers may have holes. Where a container hides the
topology, each CPU is taken for a core of its own in one socket.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from locknative.errors import NativeError, unknown
from locknative.survey.topology import Cpu, online
from locknative.survey.topology import read as read_cpus

PLACEMENTS = ("compact", "scatter", "free")


@dataclass(frozen=True)
class Topology:
    """The CPUs that are online, by number."""

    cpus: tuple[Cpu, ...]

    @property
    def numbers(self) -> frozenset[int]:
        """The numbers of the CPUs."""
        return frozenset(cpu.number for cpu in self.cpus)


def read(root: Path = Path("/")) -> Topology:
    """Read the topology; ``root`` is where ``sys`` is."""
    sys = root / "sys"
    return Topology(tuple(read_cpus(sys, online(sys))))


def compact(topology: Topology) -> list[int]:
    """Return the CPUs in the order that fills a core's siblings, then a socket."""
    return [
        cpu.number for cpu in sorted(topology.cpus, key=lambda c: (c.package, c.core, c.number))
    ]


def scatter(topology: Topology) -> list[int]:
    """Return the CPUs in the order that goes round the sockets, then the cores, then siblings."""
    siblings: dict[int, list[int]] = defaultdict(list)
    cores: dict[int, list[int]] = defaultdict(list)
    for cpu in sorted(topology.cpus, key=lambda c: c.number):
        siblings[cpu.core].append(cpu.number)
        if cpu.core not in cores[cpu.package]:
            cores[cpu.package].append(cpu.core)

    def turn(cpu: Cpu) -> tuple[int, int, int]:
        thread = siblings[cpu.core].index(cpu.number)
        return thread, cores[cpu.package].index(cpu.core), cpu.package

    return [cpu.number for cpu in sorted(topology.cpus, key=turn)]


def place(
    threads: int,
    placement: str | Sequence[int],
    topology: Topology,
    allowed: Collection[int],
) -> tuple[int, ...]:
    """Return the CPU of each thread.

    Args:
        threads: how many, at least 1.
        placement: ``"compact"`` fills a core's SMT siblings, then a socket; ``"scatter"`` spreads
            over sockets, then cores; ``"free"`` leaves it to the scheduler; or CPU numbers.
        topology: of the machine.
        allowed: the CPUs that this process may use: a cpuset may be smaller than the machine.

    Returns:
        One CPU a thread, no CPU twice; empty for ``"free"``.

    Raises:
        NativeError: an unknown placement, too few CPUs, a CPU that is offline or not allowed.
    """
    if threads < 1:
        raise NativeError(f"{threads} threads: take at least 1")
    if placement == "free":
        return ()
    usable = sorted(set(allowed) & topology.numbers) if topology.cpus else sorted(allowed)
    here = f"this process may use CPUs {', '.join(map(str, usable))}"
    if not isinstance(placement, str):
        return _listed(threads, placement, usable, here, topology)
    if placement not in PLACEMENTS:
        raise unknown("placement", placement, PLACEMENTS)
    if threads > len(usable):
        raise NativeError(
            f"{threads} threads do not fit on {len(usable)} CPU{'s' * (len(usable) != 1)} ({here}),"
            " and spinning threads that share a CPU measure the scheduler: take fewer threads"
        )
    known = Topology(tuple(cpu for cpu in topology.cpus if cpu.number in usable))
    order = compact(known) if placement == "compact" else scatter(known)
    return tuple(order or usable)[:threads]


def _listed(
    threads: int, cpus: Sequence[int], usable: list[int], here: str, topology: Topology
) -> tuple[int, ...]:
    """Return an explicit list, if each thread can have its CPU."""
    if foreign := sorted(set(cpus) - set(usable)):
        why = "is not allowed" if foreign[0] in topology.numbers else "is offline or does not exist"
        raise NativeError(f"CPU {foreign[0]} cannot be used: it {why}; {here}")
    if len(set(cpus)) != len(cpus):
        raise NativeError(f"the CPU list {list(cpus)} names a CPU twice: name each once")
    if len(cpus) < threads:
        raise NativeError(
            f"{len(cpus)} CPUs for {threads} threads: name at least one CPU for each thread"
        )
    return tuple(cpus[:threads])
