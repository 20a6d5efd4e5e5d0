"""What an engine sees of a machine: integers and arrays for the CPUs that take part.

Engines know nothing of profiles, units or sources. They read a :class:`MachineTables`, in which
every cost is in whole picoseconds and every distance is a class (see
:mod:`locksim.machine.costs`). CPUs are numbered 0 to ``n_cpus - 1`` in the order of placement.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

from locksim.machine.costs import (
    BY_KEY,
    DECLARED,
    SAME_CORE,
    SAME_CPU,
    SAME_NODE,
    Costs,
    Declaration,
    spread_of,
)
from locksim.machine.errors import MachineError

if TYPE_CHECKING:
    from locksim.machine.profile import Machine
    from locksim.machine.topology import Place, Topology

Placement = Literal["compact", "scatter"] | Sequence[int]

WORD_BYTES = 8

_Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False, kw_only=True)
class MachineTables(Costs):
    """A machine's costs (ps) and distances, for ``n_cpus`` placed CPUs.

    Shapes: ``n`` is ``n_cpus``, ``K`` the number of distance classes. ``distance[a][b]`` is the
    class between two CPUs; ``home_distance[node][cpu]`` the class between a home node and a CPU
    (2 for the same node, never 0 or 1). The rows of costs have K entries.
    """

    n_cpus: int
    n_nodes: int
    words_per_line: int
    store_buffer_entries: int
    node_of: tuple[int, ...]  # [n]
    distance: tuple[tuple[int, ...], ...]  # [n][n]
    home_distance: tuple[tuple[int, ...], ...]  # [n_nodes][n]
    blocking: int  # 1: a line is busy until the requester has its data
    clean_nearest: int  # 1: the nearest sharer supplies a clean line, 0: its home memory
    line_busy_percent: int  # of a transaction's latency; 100 but in ablations
    bus_kind: int  # 0 none, 1 one a node, 2 one for the machine
    arbitration: int = 0  # of the waiting requests: 0 the first, 1 the nearest, 2 any
    arbitration_passes: int = 0  # how often the first may be passed, where the nearest is served
    shared_issue_percent: int = 100  # of compute while a sibling works
    shared_l1: int = 0  # 1: the threads of a core share its caches
    interleave_lines: int = 0  # lines of a page, where pages go round the nodes; 0: all on node 0
    private_sets: int = 0  # of the cache that a CPU has to itself; 0: it keeps every line
    private_ways: int = 0
    l1_sets: int = 0  # 0: every hit costs l1_hit_ps
    l1_ways: int = 0
    shared_sets: int = 0  # of the cache that a node shares; 0: there is none
    shared_ways: int = 0
    shared_inclusive: int = 0  # 1: it keeps what its CPUs hold; 0: what they evict
    # [n], each CPU's place in the starting order: it starts at so many picoseconds, and its thread
    # draws from the random stream of this number; empty: all start at 0, and i draws from stream i
    starting_places: tuple[int, ...] = ()

    def holder(self, cpu: int) -> int:
        """The CPU under whose number a CPU's lines stand: the first of those that share a cache."""
        if not self.shared_l1:
            return cpu
        return next(other for other, d in enumerate(self.distance[cpu]) if d <= SAME_CORE)


def build(machine: Machine, cpus: int, placement: Placement) -> MachineTables:
    """Return the tables of ``machine`` for ``cpus`` CPUs; see :meth:`Machine.tables`."""
    topology = machine.topology
    places = _places(machine, cpus, placement)
    node_of = tuple(node for node, _, _ in places)
    nodes = _node_classes(topology)
    protocol = machine.protocol
    private = machine.cache and machine.cache.private
    l1 = machine.cache and machine.cache.l1
    shared = None if machine.cache is None else machine.cache.shared
    return MachineTables(
        **_costs(machine),
        n_cpus=len(places),
        n_nodes=topology.nodes,
        words_per_line=topology.line_bytes // WORD_BYTES,
        store_buffer_entries=protocol.store_buffer_entries,
        node_of=node_of,
        distance=_distances(places, nodes),
        home_distance=tuple(tuple(row[node] for node in node_of) for row in nodes),
        blocking=int(protocol.directory == "blocking"),
        clean_nearest=int(protocol.clean_supplier == "nearest"),
        line_busy_percent=protocol.line_busy_percent,
        bus_kind=("none", "node", "global").index(protocol.bus),
        arbitration=("fifo", "near", "random").index(protocol.arbitration),
        arbitration_passes=protocol.arbitration_passes or 0,
        shared_issue_percent=protocol.shared_issue_percent,
        shared_l1=int(protocol.shared_l1),
        interleave_lines=(topology.interleave_bytes or 0) // topology.line_bytes,
        private_sets=private.sets if private else 0,
        private_ways=private.ways if private else 0,
        l1_sets=l1.sets if l1 else 0,
        l1_ways=l1.ways if l1 else 0,
        shared_sets=shared.sets if shared else 0,
        shared_ways=shared.ways if shared else 0,
        shared_inclusive=int(shared is not None and shared.policy == "inclusive"),
        starting_places=_starting_places(machine.starting_order, len(places)),
    )


def costless(cpus: int, nodes: int) -> MachineTables:
    """Return the tables of CPUs on node 0 whose operations cost nothing: for what takes no time.

    Arguments:
        cpus: how many. nodes: the nodes that a program may name.
    """
    free: dict[str, Any] = {
        key: (0,) * (SAME_NODE + 1) if one.classes else 0
        for key, one in DECLARED.items()
        if one.required
    }
    return MachineTables(
        **free,
        n_cpus=cpus,
        n_nodes=nodes,
        words_per_line=64 // WORD_BYTES,
        store_buffer_entries=16,
        node_of=(0,) * cpus,
        distance=_distances([(0, core, 0) for core in range(cpus)], ((SAME_NODE,),)),
        home_distance=((SAME_NODE,) * cpus,) * nodes,
        blocking=1,
        clean_nearest=0,
        line_busy_percent=100,
        bus_kind=0,
    )


def _costs(machine: Machine) -> dict[str, Any]:
    """Every cost by the name of its field, and the spreads of those that have one by class."""
    costs, spreads = machine.cost_ps(), machine.spread_ps()
    suffixes = ("", *(f".{name}" for name in ("core", *machine.topology.node_classes)))
    found: dict[str, Any] = {}
    for field, declared in DECLARED.items():
        if not declared.classes:
            found[field] = costs.get(_name(costs, declared), 0)
            continue
        names = [_name(costs, declared, suffix) for suffix in suffixes]
        if not declared.instead and names[1] not in costs:
            names[1] = names[2]
        found[field] = tuple(costs.get(name, 0) for name in names)
        if declared.spread:
            found[spread_of(field)] = tuple(spreads[name] for name in names)
    return found


def _name(costs: Mapping[str, int], declared: Declaration, suffix: str = "") -> str:
    """The dotted name of the cost that applies: the declared one, or that instead of it."""
    name = declared.key + suffix
    if name in costs or not declared.instead:
        return name
    return _name(costs, BY_KEY[declared.instead])


def _starting_places(seed: int | None, cpus: int) -> tuple[int, ...]:
    """Each CPU's place in a random starting order; empty without a seed."""
    if seed is None:
        return ()
    found = list(range(cpus))
    random.Random(seed).shuffle(found)
    return tuple(found)


def _places(machine: Machine, cpus: int, placement: Placement) -> list[Place]:
    total = machine.n_cpus
    if not _whole(cpus):
        raise MachineError(f"cpus must be an integer between 1 and {total} (got {cpus!r})")
    if not 1 <= cpus <= total:
        count = "1 CPU" if total == 1 else f"{total} CPUs"
        raise MachineError(f"{machine.name} has {count}; asked for {cpus}")
    if isinstance(placement, str):
        if placement not in ("compact", "scatter"):
            raise MachineError(
                f"placement '{placement}' is unknown; "
                "use 'compact', 'scatter' or a list of CPU numbers"
            )
        return machine.topology.order(placement)[:cpus]
    return _listed(machine, cpus, list(placement))


def _listed(machine: Machine, cpus: int, numbers: list[int]) -> list[Place]:
    if len(numbers) != cpus:
        raise MachineError(
            f"the placement has length {len(numbers)}, but cpus is {cpus}; list each CPU once"
        )
    for number in numbers:
        if not _whole(number):
            raise MachineError(f"the placement lists {number!r}; list CPU numbers")
        if not 0 <= number < machine.n_cpus:
            raise MachineError(
                f"the placement lists CPU {number}; "
                f"{machine.name} numbers its CPUs 0 to {machine.n_cpus - 1}"
            )
        if numbers.count(number) > 1:
            raise MachineError(f"the placement lists CPU {number} twice; list each CPU once")
    order = machine.topology.order(machine.topology.cpu_order)
    return [order[number] for number in numbers]


def _whole(number: object) -> bool:
    """Tell whether ``number`` is an int or behaves as one (numpy's do), and is not a bool."""
    return isinstance(number, SupportsIndex) and not isinstance(number, bool)


def _node_classes(topology: Topology) -> _Rows:
    """Distance classes between nodes, [nodes][nodes], 2 on the diagonal."""
    every = range(topology.nodes)
    return tuple(tuple(SAME_NODE + topology.node_class(a, b) for b in every) for a in every)


def _distances(places: list[Place], nodes: _Rows) -> _Rows:
    """Distance classes between CPUs, [n][n]."""
    cores = [(node, core) for node, core, _ in places]
    rows = [[SAME_CORE if a == b else nodes[a[0]][b[0]] for b in cores] for a in cores]
    for cpu, row in enumerate(rows):
        row[cpu] = SAME_CPU
    return tuple(map(tuple, rows))
