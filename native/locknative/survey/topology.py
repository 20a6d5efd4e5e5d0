"""The CPUs of this machine, and how near any two are: from /sys.

Distances are named by what two CPUs share, nearest first: ``core`` (hardware threads of one core),
``cache`` (the last-level cache), ``node`` (memory), ``package`` (the socket), ``system`` (nothing
but the machine). What /sys does not show is taken to be shared: in a container without /sys all
CPUs are equally near, and each is a core of its own.

CPUs are ordered in three ways, for different uses. :func:`compact` fills a core's hardware threads
first. :func:`packed` and :func:`spread` use every core before any core's second hardware thread;
neighbours in the order are near in the one, far in the other.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from . import host
from .host import ROOT

RELATIONS = ("core", "cache", "node", "package", "system")


@dataclass(frozen=True)
class Cpu:
    """One hardware thread: its number, and the lowest CPU number in each group that it is in.

    ``node`` is the number of the NUMA node.
    """

    number: int
    core: int
    cache: int
    node: int
    package: int


def read(root: Path = ROOT, allowed: Iterable[int] | None = None) -> list[Cpu]:
    """Return the online CPUs that may be used, in the order of their numbers.

    Args:
        root: the folder that holds ``sys``.
        allowed: their numbers; by default those of this process's affinity mask.
    """
    numbers = sorted(os.sched_getaffinity(0) if allowed is None else allowed)
    there = online(root)
    nodes = _nodes(root)
    return [_cpu(root, n, nodes) for n in numbers if not there or n in there]


def online(root: Path = ROOT) -> set[int]:
    """Return the numbers of the CPUs that are online, empty if /sys does not show them."""
    folder = root / host.CPU
    names = (path.name.removeprefix("cpu") for path in folder.glob("cpu[0-9]*"))
    return parse_list(host.read(folder / "online")) or {int(n) for n in names if n.isdigit()}


def read_all(root: Path = ROOT) -> list[Cpu]:
    """Return all CPUs that are online, whoever may use them; empty if /sys does not show them."""
    return read(root, online(root))


def relation(a: Cpu, b: Cpu) -> str:
    """Return the nearest thing that two CPUs share, one of :data:`RELATIONS`."""
    if (a.package, a.core) == (b.package, b.core):
        return "core"
    if a.cache == b.cache:
        return "cache"
    if a.node == b.node:
        return "node"
    return "package" if a.package == b.package else "system"


def compact(cpus: Iterable[Cpu]) -> list[Cpu]:
    """Return the CPUs core by core, with all hardware threads of each."""
    return sorted(cpus, key=lambda c: (c.package, c.core, c.number))


def packed(cpus: Iterable[Cpu]) -> list[Cpu]:
    """Return the CPUs so that neighbours are near: by package, node and cache.

    Every core's first hardware thread comes before any core's second.
    """
    cpus = list(cpus)
    thread = _thread(cpus)
    return sorted(cpus, key=lambda c: (thread[c.number], c.package, c.node, c.cache, c.number))


def spread(cpus: Iterable[Cpu], group: Callable[[Cpu], int] = lambda c: c.cache) -> list[Cpu]:
    """Return the CPUs so that neighbours are far: the first core of each group, then the second.

    Args:
        cpus: the CPUs to order.
        group: the group of a CPU, by default its last-level cache.
    """
    ordered = packed(cpus)
    thread = _thread(ordered)
    seen: Counter[tuple[int, int]] = Counter()
    rank = {}
    for cpu in ordered:
        mine = (group(cpu), thread[cpu.number])
        rank[cpu.number] = seen[mine]
        seen[mine] += 1
    return sorted(ordered, key=lambda c: (thread[c.number], rank[c.number]))


def parse_list(text: str) -> set[int]:
    """Return the numbers of a kernel list such as ``0-3,8``; empty for empty text."""
    numbers: set[int] = set()
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return numbers


def _thread(cpus: Iterable[Cpu]) -> dict[int, int]:
    """Number each CPU among those given that share its core: 0 is the core's first thread."""
    cores: Counter[tuple[int, int]] = Counter()
    found = {}
    for cpu in sorted(cpus, key=lambda c: c.number):
        found[cpu.number] = cores[cpu.package, cpu.core]
        cores[cpu.package, cpu.core] += 1
    return found


def _cpu(root: Path, number: int, nodes: dict[int, int]) -> Cpu:
    folder = root / host.CPU / f"cpu{number}"
    package = host.read(folder / "topology/physical_package_id")
    siblings = host.read(folder / "topology/core_cpus_list") or host.read(
        folder / "topology/thread_siblings_list"
    )
    shared = _last_level(folder / "cache")
    return Cpu(
        number=number,
        core=min(parse_list(siblings), default=number),
        cache=min(shared, default=min(_package_cpus(folder), default=0)),
        node=nodes.get(number, 0),
        # A virtual machine may say -1: not known.
        package=int(package) if package.isdigit() else 0,
    )


def _package_cpus(folder: Path) -> set[int]:
    return parse_list(
        host.read(folder / "topology/package_cpus_list")
        or host.read(folder / "topology/core_siblings_list")
    )


def _last_level(folder: Path) -> set[int]:
    """Return the CPUs that share the outermost cache."""
    found: tuple[int, set[int]] = (0, set())
    for index in sorted(folder.glob("index*")):
        level = host.read(index / "level")
        if level.isdigit() and int(level) > max(found[0], 1):
            found = (int(level), parse_list(host.read(index / "shared_cpu_list")))
    return found[1]


def _nodes(root: Path) -> dict[int, int]:
    found = {}
    for folder in root.glob("sys/devices/system/node/node[0-9]*"):
        for cpu in parse_list(host.read(folder / "cpulist")):
            found[cpu] = int(folder.name[len("node") :])
    return found
