"""The CPUs that this process may use, and how near any two are: from /sys.

Distances are named by what two CPUs share, nearest first: ``core`` (hardware threads of one core),
``cache`` (the last-level cache), ``node`` (memory), ``package`` (the socket), ``system`` (nothing
but the machine). What /sys does not tell is taken to be shared: a container without /sys has
CPUs that are all equally near.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

SYS = Path("/sys")
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


def read(sys: Path = SYS, allowed: Iterable[int] | None = None) -> list[Cpu]:
    """Return the online CPUs that may be used, in the order of their numbers.

    Args:
        sys: the root of sysfs.
        allowed: their numbers; by default those of this process's affinity mask.
    """
    numbers = sorted(os.sched_getaffinity(0) if allowed is None else allowed)
    there = online(sys)
    nodes = _nodes(sys)
    return [_cpu(sys, n, nodes) for n in numbers if not there or n in there]


def online(sys: Path = SYS) -> set[int]:
    """Return the numbers of the CPUs that are online, empty if /sys does not tell."""
    folder = sys / "devices/system/cpu"
    names = (path.name.removeprefix("cpu") for path in folder.glob("cpu[0-9]*"))
    return parse_list(_text(folder / "online")) or {int(n) for n in names if n.isdigit()}


def relation(a: Cpu, b: Cpu) -> str:
    """Return the nearest thing that two CPUs share, one of :data:`RELATIONS`."""
    if (a.package, a.core) == (b.package, b.core):
        return "core"
    if a.cache == b.cache:
        return "cache"
    if a.node == b.node:
        return "node"
    return "package" if a.package == b.package else "system"


def packed(cpus: Iterable[Cpu]) -> list[Cpu]:
    """Return the CPUs so that neighbours are near: by package, node and cache.

    Every core's first hardware thread comes before any core's second.
    """
    return sorted(cpus, key=lambda c: (_sibling(c), c.package, c.node, c.cache, c.number))


def spread(cpus: Iterable[Cpu]) -> list[Cpu]:
    """Return the CPUs so that neighbours are far: the first core of each cache, then the second."""
    ordered = packed(cpus)
    seen: dict[tuple[int, int], int] = {}
    rank = {}
    for cpu in ordered:
        group = (cpu.cache, _sibling(cpu))
        rank[cpu.number] = seen[group] = seen.get(group, -1) + 1
    return sorted(ordered, key=lambda c: (_sibling(c), rank[c.number], c.package, c.node, c.cache))


def parse_list(text: str) -> set[int]:
    """Return the numbers of a kernel list such as ``0-3,8``; empty for empty text."""
    numbers: set[int] = set()
    for part in filter(None, text.strip().split(",")):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return numbers


def _sibling(cpu: Cpu) -> int:
    """0 for a core's first hardware thread, 1 for any other."""
    return int(cpu.number != cpu.core)


def _cpu(sys: Path, number: int, nodes: dict[int, int]) -> Cpu:
    folder = sys / f"devices/system/cpu/cpu{number}"
    package = _text(folder / "topology/physical_package_id")
    siblings = _text(folder / "topology/core_cpus_list") or _text(
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
        _text(folder / "topology/package_cpus_list")
        or _text(folder / "topology/core_siblings_list")
    )


def _last_level(folder: Path) -> set[int]:
    """The CPUs that share the outermost cache."""
    found: tuple[int, set[int]] = (0, set())
    for index in sorted(folder.glob("index*")):
        level = _text(index / "level")
        if level.isdigit() and int(level) > max(found[0], 1):
            found = (int(level), parse_list(_text(index / "shared_cpu_list")))
    return found[1]


def _nodes(sys: Path) -> dict[int, int]:
    found = {}
    for folder in sys.glob("devices/system/node/node[0-9]*"):
        for cpu in parse_list(_text(folder / "cpulist")):
            found[cpu] = int(folder.name[len("node") :])
    return found


def _text(file: Path) -> str:
    try:
        return file.read_text().strip()
    except OSError:
        return ""
