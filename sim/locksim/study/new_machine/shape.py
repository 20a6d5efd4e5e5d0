"""Which CPUs are near one another: nodes and distance classes, from a matrix or from lscpu.

CPUs are grouped by hierarchical clustering (average linkage) of their latencies. The latency at
which groups join grows slowly within a level of the machine and jumps to the next; a jump is a step
by more than :data:`JUMP`. Pairs below the first jump are taken to be the hardware threads of a
core; the next groups are the *nodes* of the profile: clusters with a cache of their own, dies or
sockets. Two nodes' distance is the median latency of their pairs of CPUs; distances within
:data:`ALIKE` of one another are one class.

A profile has as many cores in each node. Where groups differ in size (performance and efficiency
cores, a node with a core switched off) the largest counts, and some CPUs of the profile do not
exist; ``numbers`` says which.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from locksim.machine.errors import MachineError
from locksim.study.new_machine.lscpu import Lscpu
from locksim.study.new_machine.matrix import Matrix

JUMP = 1.4
"""Step between two latencies that separates levels. In the matrices that core-to-core-latency
publishes, steps among the cores of a node stay below 1.3; steps from threads to cores, from cores
to nodes and from nodes to sockets are above 1.7."""
ALIKE = 1.25
"""Latencies between nodes that differ by less belong to one class."""

_Floats = npt.NDArray[np.float64]
_FAR = ("far", "farther", "farthest")


@dataclass(frozen=True)
class Reading:
    """The ping-pong between the CPUs of a distance class.

    Arguments:
        ns: the median over pairs. low, high: 95 % of the pairs lie between. pairs: how many.
    """

    ns: float
    low: float
    high: float
    pairs: int


@dataclass(frozen=True)
class Shape:
    """A machine's topology as a profile states it.

    Arguments:
        nodes, cores, threads: nodes, cores of a node, hardware threads of a core.
        classes: names of the distance classes, nearest first; ``node`` is the first.
        distance: index into ``classes`` for each pair of nodes.
        numbers: the matrix's CPU for each one of the profile, -1 for one that does not exist;
            empty without a matrix.
        readings: class → ping-pong; empty without a matrix. ``core`` is that of SMT siblings.
    """

    nodes: int
    cores: int
    threads: int
    classes: tuple[str, ...]
    distance: tuple[tuple[int, ...], ...]
    numbers: tuple[int, ...] = ()
    readings: dict[str, Reading] | None = None

    @property
    def missing(self) -> int:
        """How many CPUs of the profile do not exist."""
        return self.numbers.count(-1)


def of_lscpu(found: Lscpu) -> Shape:
    """Return the shape that ``lscpu`` tells of: sockets, and the last-level caches in them.

    Raises:
        MachineError: cores and caches do not fit together.
    """
    nodes = max(found.caches, found.sockets)
    all_cores = found.sockets * found.cores
    if all_cores % nodes or nodes % found.sockets:
        raise MachineError(
            f"{found.where}: {all_cores} cores in {found.sockets} sockets with {nodes} last-level "
            "caches do not divide evenly; give --shape NODESxCORESxTHREADS"
        )
    return regular(nodes, all_cores // nodes, found.threads, nodes // found.sockets)


def regular(nodes: int, cores: int, threads: int, in_socket: int = 1) -> Shape:
    """Return a regular shape: nodes of equal size, ``in_socket`` of them in a socket."""
    names = ["node"] + ["cache"] * (in_socket > 1) + ["socket"] * (nodes > in_socket)

    def name(a: int, b: int) -> str:
        return "node" if a == b else "cache" if a // in_socket == b // in_socket else "socket"

    every = range(nodes)
    distance = tuple(tuple(names.index(name(a, b)) for b in every) for a in every)
    return Shape(nodes, cores, threads, tuple(names), distance)


def of_matrix(matrix: Matrix, found: Lscpu | None = None) -> Shape:
    """Return the shape of a matrix; ``lscpu``, if there, says what is a thread and a socket.

    Raises:
        MachineError: lscpu is of another machine.
    """
    cores = _cores(matrix.ns, _check(matrix, found))
    nodes = _nodes(matrix.ns, cores)
    between = _between(matrix.ns, nodes)
    steps = _classes(between)
    names = _names(steps, between, nodes, found)
    distance = tuple(
        tuple(
            0 if a == b else 1 + int(np.searchsorted(steps, between[a, b], side="right"))
            for b in range(len(nodes))
        )
        for a in range(len(nodes))
    )
    size = max(map(len, nodes))
    smt = max(len(core) for node in nodes for core in node)
    numbers = tuple(
        node[c][t] if c < len(node) and t < len(node[c]) else -1
        for t in range(smt)
        for node in nodes
        for c in range(size)
    )
    return Shape(
        len(nodes),
        size,
        smt,
        names,
        distance,
        numbers,
        _readings(matrix.ns, nodes, names, distance),
    )


def _check(matrix: Matrix, found: Lscpu | None) -> int | None:
    """Return the threads of a core that are in the matrix, None where nothing says so."""
    if found is None:
        return None
    if matrix.cpus == found.cpus:
        return found.threads
    if matrix.cpus == found.cpus // found.threads:
        return 1  # the matrix was taken with one thread a core
    raise MachineError(
        f"{matrix.where} has {matrix.cpus} CPUs, {found.where} {found.cpus}; "
        "give files of the same machine"
    )


def _cores(ns: _Floats, threads: int | None) -> list[list[int]]:
    """Return the CPUs core by core; without lscpu, near pairs are taken for threads of a core."""
    from scipy.cluster.hierarchy import fcluster

    alone = [[cpu] for cpu in range(len(ns))]
    size = threads or 2
    count, rest = divmod(len(ns), size)
    if size == 1 or rest or count < 2:
        return alone
    tree = _tree(ns)
    heights = tree[:, 2]
    joined = len(ns) - count  # steps until there are as many groups as cores
    groups = _members(fcluster(tree, count, criterion="maxclust"))
    if {len(group) for group in groups} != {size}:
        return alone
    near = heights[joined] > JUMP * float(np.median(heights[:joined]))
    return groups if near or threads else alone


def _nodes(ns: _Floats, cores: Sequence[Sequence[int]]) -> list[list[list[int]]]:
    """Return for each node its cores, for each core its threads."""
    from scipy.cluster.hierarchy import fcluster

    first = [core[0] for core in cores]
    if len(cores) > 2:
        tree = _tree(ns[np.ix_(first, first)])
        for below, above in pairwise(tree[:, 2]):
            groups = _members(fcluster(tree, float(np.sqrt(below * above)), criterion="distance"))
            # A core that is near to no other is a slip of the measurement.
            if above > JUMP * below and min(map(len, groups)) > 1:
                return [[list(cores[c]) for c in group] for group in groups]
    return [[list(core) for core in cores]]


def _tree(ns: _Floats) -> _Floats:
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import squareform

    return np.asarray(linkage(squareform(ns, checks=False), method="average"), np.float64)


def _members(labels: npt.NDArray[np.int32]) -> list[list[int]]:
    groups: dict[int, list[int]] = {}
    for item, label in enumerate(labels):
        groups.setdefault(int(label), []).append(item)
    return sorted(groups.values())


def _between(ns: _Floats, nodes: Sequence[Sequence[Sequence[int]]]) -> _Floats:
    """Return the median latency of each pair of nodes, float64[nodes, nodes]."""
    members = [[cpu for core in node for cpu in core] for node in nodes]
    rows = [[float(np.median(ns[np.ix_(a, b)])) for b in members] for a in members]
    return np.asarray(rows, np.float64)


def _classes(between: _Floats) -> _Floats:
    """Return the latencies that separate the classes of nodes, between two neighbours each."""
    values = np.sort(between[np.triu_indices(len(between), 1)])
    jumps = np.flatnonzero(values[1:] > ALIKE * values[:-1])
    return np.sqrt(values[jumps] * values[jumps + 1])


def _names(
    steps: _Floats,
    between: _Floats,
    nodes: Sequence[Sequence[Sequence[int]]],
    found: Lscpu | None,
) -> tuple[str, ...]:
    """Name each class by the boundary that all its pairs cross, if lscpu tells."""
    if len(nodes) == 1:
        return ("node",)
    count = 1 + len(steps)
    plain = tuple(_FAR[i] if i < len(_FAR) else f"far-{i + 1}" for i in range(count))
    if found is None:
        return ("node", *plain)
    if found.sockets == 1:
        return ("node", *(("cache",) if count == 1 else plain))
    if count == 1 and len(nodes) == found.sockets:
        return ("node", "socket")
    if count == 2 and len(nodes) > found.sockets:
        return ("node", "cache", "socket")
    return ("node", *plain)


def _readings(
    ns: _Floats,
    nodes: Sequence[Sequence[Sequence[int]]],
    names: Sequence[str],
    distance: Sequence[Sequence[int]],
) -> dict[str, Reading]:
    place = {
        cpu: (n, c) for n, node in enumerate(nodes) for c, core in enumerate(node) for cpu in core
    }
    values: dict[str, list[float]] = {}
    for a in range(len(ns)):
        for b in range(a):
            (m, c), (n, d) = place[a], place[b]
            name = "core" if (m, c) == (n, d) else names[distance[m][n]]
            values.setdefault(name, []).append(float(ns[a, b]))
    return {name: _reading(values[name]) for name in ("core", *names) if name in values}


def _reading(values: Sequence[float]) -> Reading:
    low, median, high = np.quantile(values, [0.025, 0.5, 0.975])
    return Reading(float(median), float(low), float(high), len(values))
