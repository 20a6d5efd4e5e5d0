"""Which CPUs share a core, a socket and a NUMA node, and which of them a run's threads get.

Everything is read from /sys; only CPUs that are online count, and their numbers may have holes.
Where a container hides the topology, each CPU is taken for a core of its own in one socket.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from locknative.errors import NativeError, unknown

PLACEMENTS = ("compact", "scatter", "free")


@dataclass(frozen=True)
class Cpu:
    """One CPU as the kernel numbers it; ``core`` is the lowest number among its SMT siblings."""

    number: int
    core: int
    socket: int
    node: int


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
    folder = root / "sys/devices/system/cpu"
    online = _cpus(folder / "online")
    if not online:
        found = (path.name.removeprefix("cpu") for path in folder.glob("cpu[0-9]*"))
        online = sorted(int(name) for name in found if name.isdigit())
    nodes = {
        cpu: int(file.parent.name.removeprefix("node"))
        for file in (root / "sys/devices/system/node").glob("node[0-9]*/cpulist")
        for cpu in _cpus(file)
    }
    return Topology(tuple(_cpu(folder, number, nodes.get(number, 0)) for number in online))


def compact(topology: Topology) -> list[int]:
    """Return the CPUs in the order that fills a core's siblings, then a socket."""
    return [cpu.number for cpu in sorted(topology.cpus, key=lambda c: (c.socket, c.core, c.number))]


def scatter(topology: Topology) -> list[int]:
    """Return the CPUs in the order that goes round the sockets, then the cores, then siblings."""
    siblings: dict[int, list[int]] = defaultdict(list)
    cores: dict[int, list[int]] = defaultdict(list)
    for cpu in sorted(topology.cpus, key=lambda c: c.number):
        siblings[cpu.core].append(cpu.number)
        if cpu.core not in cores[cpu.socket]:
            cores[cpu.socket].append(cpu.core)

    def turn(cpu: Cpu) -> tuple[int, int, int]:
        thread = siblings[cpu.core].index(cpu.number)
        return thread, cores[cpu.socket].index(cpu.core), cpu.socket

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


def _cpu(folder: Path, number: int, node: int) -> Cpu:
    """Read one CPU."""
    topology = folder / f"cpu{number}/topology"
    # The first name is the newer one (Linux 5.2).
    siblings = _cpus(topology / "core_cpus_list") or _cpus(topology / "thread_siblings_list")
    socket = _read(topology / "physical_package_id")
    # A virtual machine may say -1: not known.
    return Cpu(
        number,
        core=min(siblings, default=number),
        socket=max(0, int(socket)) if socket else 0,
        node=node,
    )


def _cpus(file: Path) -> list[int]:
    """Read a list like ``0-3,8,10-11``; empty where there is none."""
    found: list[int] = []
    for part in filter(None, _read(file).split(",")):
        first, _, last = part.partition("-")
        found.extend(range(int(first), int(last or first) + 1))
    return found


def _read(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""
