"""The simulated machine's shape, from real topologies and handoff times."""

from __future__ import annotations

from itertools import combinations

from locknative.calibration.shape import shape_of
from locknative.survey.topology import Cpu, relation

CHIPLETS = [Cpu(n, n, n // 2 * 2, 0, 0) for n in range(4)]
SMT = [Cpu(0, 0, 0, 0, 0), Cpu(1, 1, 0, 0, 0), Cpu(2, 0, 0, 0, 0), Cpu(3, 1, 0, 0, 0)]
SOCKETS = [Cpu(n, n, n // 2 * 2, n // 2, n // 4) for n in range(8)]


def handoffs(cpus: list[Cpu], **ns: float) -> dict[tuple[int, int], float]:
    """Return handoff times for all pairs, by what they share."""
    return {(a.number, b.number): ns[relation(a, b)] for a, b in combinations(cpus, 2)}


def test_one_cpu() -> None:
    """A machine of one CPU has one node and no distances."""
    shape = shape_of([Cpu(5, 5, 5, 0, 0)], {})
    assert (1, 1, 1, ("node",), (5,)) == (
        shape.nodes,
        shape.cores_per_node,
        shape.threads_per_core,
        shape.classes,
        shape.cpus,
    )


def test_caches_that_are_far_apart_are_nodes() -> None:
    """Where another cache takes longer, each cache is a node."""
    shape = shape_of(CHIPLETS, handoffs(CHIPLETS, cache=27, node=107))
    assert (2, 2, ("node", "cache")) == (shape.nodes, shape.cores_per_node, shape.classes)
    assert ((0, 1), (1, 0)) == shape.node_distance
    assert [2, 0] == shape.place([2, 0])


def test_caches_that_are_equally_near_are_none() -> None:
    """Where another cache takes no longer, the group is wider."""
    shape = shape_of(CHIPLETS, handoffs(CHIPLETS, cache=50, node=52))
    assert (1, 4, ("node",)) == (shape.nodes, shape.cores_per_node, shape.classes)
    assert {"node": ("cache", "node")} == shape.relations


def test_sockets() -> None:
    """Three distances: the cache, another node of the socket, the other socket."""
    shape = shape_of(SOCKETS, handoffs(SOCKETS, cache=30, package=90, system=200))
    assert ("node", "numa", "socket") == shape.classes
    assert ((0, 1, 2, 2), (1, 0, 2, 2), (2, 2, 0, 1), (2, 2, 1, 0)) == shape.node_distance


def test_siblings_come_after_all_cores() -> None:
    """Simulated CPUs are numbered by hardware thread, then node and core."""
    shape = shape_of(SMT, handoffs(SMT, core=8, cache=30))
    assert (2, 2, (0, 1, 2, 3)) == (shape.cores_per_node, shape.threads_per_core, shape.cpus)
    assert ("core",) == shape.relations["core"]


def test_holes() -> None:
    """Where a cache has fewer cores than another, the missing one is marked."""
    shape = shape_of(CHIPLETS[:3], handoffs(CHIPLETS[:3], cache=27, node=107))
    assert (0, 1, 2, -1) == shape.cpus
