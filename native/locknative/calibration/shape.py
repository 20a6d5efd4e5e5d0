"""The simulated machine's shape: nodes, cores, distance classes, and which real CPU is which.

A simulated node is a group of CPUs that are equally near to one another. It begins as the CPUs of
one last-level cache; if the handoff to the next wider group takes no longer, that group is the
node, and so on outward. The classes beyond are those relations (:mod:`locknative.survey.topology`)
that occur between nodes, each with handoffs that take longer than the nearer one's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from locknative.survey.topology import RELATIONS, Cpu, relation

ALIKE = 1.1
"""Handoffs whose medians differ by less than this factor mean equal distances."""
CLASS_NAMES = {"node": "cache", "package": "numa", "system": "socket"}
"""Relation → name of the distance class: the boundary that a transfer crosses."""


@dataclass(frozen=True)
class Shape:
    """A machine's topology as a profile states it.

    Arguments:
        nodes, cores_per_node, threads_per_core: as in ``[topology]``.
        classes: names of the distance classes between different cores, nearest first.
        relations: for each class, the relations of /sys that it stands for; ``"core"`` is the
            class of SMT siblings, if there are any.
        node_distance: index into ``classes`` for each pair of nodes.
        cpus: the real CPU's number for each simulated one, -1 for one that does not exist.
    """

    nodes: int
    cores_per_node: int
    threads_per_core: int
    classes: tuple[str, ...]
    relations: dict[str, tuple[str, ...]]
    node_distance: tuple[tuple[int, ...], ...]
    cpus: tuple[int, ...]

    def place(self, cpus: Sequence[int]) -> list[int]:
        """Return the simulated CPUs' numbers of real ones.

        Raises:
            ValueError: a CPU is not part of the machine.
        """
        return [self.cpus.index(cpu) for cpu in cpus]


def shape_of(cpus: Sequence[Cpu], handoff_ns: Mapping[tuple[int, int], float]) -> Shape:
    """Return the shape of a machine.

    Args:
        cpus: as /sys has them.
        handoff_ns: the reading of the handoff for some pairs of CPUs, in ns.
    """
    found = _by_relation(cpus, handoff_ns)
    merged = _merge(found)
    inner = merged[0][-1] if merged else "cache"
    groups: dict[int, list[Cpu]] = {}
    for cpu in cpus:
        groups.setdefault(_group(cpu, inner), []).append(cpu)
    members = [_cores(group) for _, group in sorted(groups.items())]
    cores = max(len(m) for m in members)
    threads = max(len(core) for m in members for core in m)
    numbers = [
        m[c][t].number if c < len(m) and t < len(m[c]) else -1
        for t in range(threads)
        for m in members
        for c in range(cores)
    ]
    beyond = merged[1:]
    classes = ("node", *(CLASS_NAMES[kinds[0]] for kinds in beyond))
    relations = {"node": tuple(merged[0]) if merged else ("cache",)}
    relations.update({n: tuple(k) for n, k in zip(classes[1:], beyond, strict=True)})
    if threads > 1:
        relations["core"] = ("core",)
    return Shape(
        len(members), cores, threads, classes, relations, _matrix(members, beyond), tuple(numbers)
    )


def _by_relation(
    cpus: Sequence[Cpu], handoff_ns: Mapping[tuple[int, int], float]
) -> dict[str, float]:
    """Return the median handoff for each relation between cores that occurs, nearest first."""
    by_number = {cpu.number: cpu for cpu in cpus}
    times: dict[str, list[float]] = {}
    for (a, b), ns in handoff_ns.items():
        if a != b and a in by_number and b in by_number:
            times.setdefault(relation(by_number[a], by_number[b]), []).append(ns)
    occurring = {relation(a, b) for a in cpus for b in cpus if a.number != b.number}
    return {
        kind: float(np.median(times[kind])) if kind in times else float("nan")
        for kind in RELATIONS[1:]
        if kind in occurring
    }


def _merge(found: Mapping[str, float]) -> list[list[str]]:
    """Return relations in groups that are equally far; one without a handoff joins the nearer."""
    groups: list[list[str]] = []
    last = float("nan")
    for kind, ns in found.items():
        if groups and not ns > ALIKE * last and not (np.isnan(last) and not np.isnan(ns)):
            groups[-1].append(kind)
        else:
            groups.append([kind])
            last = ns
    return groups


def _group(cpu: Cpu, relation: str) -> int:
    if relation == "cache":
        return cpu.cache
    if relation == "node":
        return cpu.node
    return cpu.package if relation == "package" else 0


def _cores(group: Sequence[Cpu]) -> list[list[Cpu]]:
    found: dict[tuple[int, int], list[Cpu]] = {}
    for cpu in sorted(group, key=lambda c: c.number):
        found.setdefault((cpu.package, cpu.core), []).append(cpu)
    return list(found.values())


def _matrix(
    members: Sequence[Sequence[Sequence[Cpu]]], beyond: Sequence[Sequence[str]]
) -> tuple[tuple[int, ...], ...]:
    index = {kind: i for i, kinds in enumerate(beyond, 1) for kind in kinds}
    first = [m[0][0] for m in members]
    return tuple(tuple(0 if a == b else index[relation(a, b)] for b in first) for a in first)
