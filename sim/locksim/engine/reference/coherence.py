"""Cache lines, buses and links of the reference engine: holders of lines, times of transfers.

This is the part of ``sim/PHYSICS.md`` without agents. For a request that is served now, it gives
the supplier of the data, the CPUs that lose a copy, the arrival time, and the time of the next
service.
"""

from __future__ import annotations

from collections import defaultdict, deque
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from locksim.lang.randomness import TENURES, TRANSACTIONS, below, draw
from locksim.machine import MachineTables
from locksim.machine.costs import SAME_CORE, SAME_NODE

_Requester = TypeVar("_Requester")
_Part = tuple[str, int, int]
"""A shared part of the machine: what it is, its node, and the class that it leads to."""


@dataclass(slots=True)
class Line(Generic[_Requester]):
    """One cache line.

    Arguments:
        number: its index in memory. home: its home node.
        owner: the CPU that holds it exclusive or modified, or None.
        sharers: CPUs that hold a clean shared copy; empty while there is an owner.
        free_at: time (ps) from which the next request for a shared copy can be served.
        quiet_at: time (ps) from which the next request for an exclusive copy can be served: every
            supplied copy has arrived and has been held for its line hold time (``tenure``).
        modified: whether memory's copy is old: the owner's differs, or a shared cache's.
        kept: the nodes whose shared cache has it.
        filler, ready_at: the CPU whose data is (or was last) in transfer, and its arrival time.
        queue: the waiting requests in the order of their arrival.
        transactions: number of served transfers.
    """

    number: int
    home: int
    owner: int | None = None
    sharers: set[int] = field(default_factory=set)
    free_at: int = 0
    quiet_at: int = 0
    filler: int | None = None
    ready_at: int = 0
    modified: bool = False
    kept: frozenset[int] = frozenset()
    queue: deque[_Requester] = field(default_factory=deque)
    transactions: int = 0

    def readable(self, cpu: int) -> bool:
        """Whether a CPU has a copy, perhaps still in transfer."""
        return self.owner == cpu or cpu in self.sharers

    def writable(self, cpu: int) -> bool:
        """Whether a CPU has the only copy, perhaps still in transfer."""
        return self.owner == cpu

    def servable_at(self, exclusive: bool) -> int:
        """Time (ps) from which a request that waits can be served."""
        return self.quiet_at if exclusive else self.free_at

    def under_way(self, cpu: int, now: int) -> bool:
        """Whether the data that a CPU requested has not arrived yet."""
        return self.filler == cpu and self.ready_at > now


@dataclass(frozen=True, slots=True)
class Served:
    """The outcome of a request.

    Arguments:
        completes_ps: time at which the requester has the line.
        counter: the CPU counter of the request: "hits" if no transfer was needed,
            "upgrades", or the counter of the supplier's class.
        losers: CPUs that lost their copy.
        supplier: the CPU whose cache gives the data; None: memory, or no data is needed.
        delay_ps: further wait of the requester, while the line serves others (0 except in
            ablations, and for far atomics).
        at_home: whether a far atomic was performed, so that no cache has the line.
    """

    completes_ps: int
    counter: str
    losers: tuple[int, ...] = ()
    delay_ps: int = 0
    supplier: int | None = None
    at_home: bool = False


@dataclass(frozen=True, slots=True)
class _Supply:
    """The source of data or permission: its time, counter, node, and distance class.

    ``alone``: it has the only copy that is not old. ``cpu``: whose cache it is, if it is a CPU's.
    """

    latency_ps: int
    counter: str
    node: int
    distance: int
    alone: bool = False
    cpu: int | None = None

    @property
    def by_home(self) -> bool:
        """Whether the line's home gives the data, or permission to write."""
        return self.counter in ("memory", "upgrades")

    @property
    def by_shared(self) -> bool:
        """Whether a node's shared cache gives the data."""
        return self.cpu is None and not self.by_home


class Coherence:
    """The protocol of one machine."""

    def __init__(self, tables: MachineTables, seed: int) -> None:
        self.tables, self.seed = tables, seed
        self.transactions = 0
        self.distance = tables.distance
        self.busy_until: dict[_Part, int] = defaultdict(int)

    def serve(
        self,
        line: Line[_Requester],
        cpu: int,
        exclusive: bool,
        now: int,
        *,
        atomic: bool = False,
        waited_ps: int = 0,
        far: bool = False,
    ) -> Served:
        """Serve a CPU's request for a line, which must be free now.

        ``atomic``: the requester is an atomic instruction, not a load or the store buffer.
        ``waited_ps``: how long the request has waited for the line.
        ``far``: the requester is an atomic instruction that is performed at the home.
        """
        if line.writable(cpu) or (not exclusive and line.readable(cpu)):
            # An earlier request of another agent of the CPU, or its core, has brought the line.
            here_at = max(now, line.ready_at) if line.filler == cpu else now
            return Served(here_at + self.tables.l1_hit_ps, "hits")
        if far:
            return self._serve_far(line, cpu, now)
        if cpu in line.sharers:
            supply = self._upgrade(line, cpu, waited_ps)
        else:
            supply = self._supply(line, cpu, waited_ps)
        others = sorted(line.sharers - {cpu})
        node = self.tables.node_of[cpu]
        elsewhere = line.kept - {node}
        nobody = line.owner is None and not line.sharers and not elsewhere
        losers: tuple[int, ...] = ()
        latency = supply.latency_ps
        if exclusive:
            latency = max(latency, self._invalidation(line, elsewhere, cpu, waited_ps))
            losers = tuple(others) if line.owner is None else (line.owner,)
            line.owner, line.sharers, line.kept = cpu, set(), line.kept - elsewhere
            line.modified = True
        else:
            line.modified = line.modified and supply.by_shared and supply.node == node
            if nobody:
                line.owner = cpu
            else:
                line.sharers |= {cpu} if line.owner is None else {cpu, line.owner}
                line.owner = None
        if self.tables.shared_inclusive:
            line.kept |= {node}
        elif line.owner == cpu:
            line.kept -= {node}
        start = self._take_path(cpu, line.home, supply, now)
        latency += self._jitter()
        tenure = self._tenure(supply.distance, atomic)
        self.transactions += 1
        busy = latency * self.tables.line_busy_percent // 100
        line.filler, line.ready_at = cpu, start + busy
        held_until = line.ready_at + tenure
        if exclusive:
            line.free_at = held_until
        elif supply.alone or nobody or self.tables.blocking:
            line.free_at = line.ready_at
        else:
            line.free_at = start + self.tables.shared_read_ps
        line.quiet_at = max(line.quiet_at, held_until)
        line.transactions += 1
        return Served(line.ready_at, supply.counter, losers, latency - busy, supply.cpu)

    def _serve_far(self, line: Line[_Requester], cpu: int, now: int) -> Served:
        """Perform an atomic instruction at the line's home, which collects the line first."""
        tables, away = self.tables, self.tables.home_distance[line.home]
        others = sorted(line.sharers - {cpu})
        losers = tuple(others) if line.owner is None else (line.owner,)
        kept = [self._class_to(line.home, node) for node in line.kept]
        collection = 0
        if line.owner is not None:
            collection = tables.transfer_ps[away[line.owner]]
        elif line.modified and kept:
            collection = tables.transfer_ps[min(kept)]
        elif others or kept:
            collection = tables.invalidate_ps[max([*kept, *(away[other] for other in others)])]
            collection += tables.invalidate_each_ps * max(len(others) - 1, 0)
        line.owner, line.sharers, line.kept, line.modified = None, set(), frozenset(), False
        home = _Supply(tables.far_atomic_ps[away[cpu]], "memory", line.home, away[cpu])
        start = self._take_path(cpu, line.home, home, now)
        result = start + collection + home.latency_ps + self._jitter()
        self.transactions += 1
        line.filler, line.ready_at = cpu, now
        busy = (collection + tables.far_atomic_busy_ps) * tables.line_busy_percent // 100
        line.free_at = line.quiet_at = start + busy
        line.transactions += 1
        return Served(now, home.counter, losers, result - now, at_home=True)

    def evict(self, line: Line[_Requester], cpu: int, now: int) -> bool:
        """Evict a CPU's copy to make room; whether it was modified.

        Then it goes to the shared cache of the CPU's node, or is written back to memory.
        """
        back = line.writable(cpu) and line.modified
        if line.writable(cpu):
            line.owner = None
        line.sharers = line.sharers - {cpu}
        if not self.tables.shared_sets:
            if back:
                self._write_back(line, cpu, now)
            return back
        if not self.tables.shared_inclusive:
            line.kept |= {self.tables.node_of[cpu]}
        if back:
            _busy(line, now + self.tables.shared_hit_ps)
        return back

    def give_up(self, line: Line[_Requester], cpu: int, now: int) -> tuple[list[int], bool]:
        """The shared cache of a CPU's node gives a line up to make room.

        Returns the CPUs that lose their copy with it, and whether it had to be written back.
        """
        node = self.tables.node_of[cpu]
        line.kept -= {node}
        losers = []
        if self.tables.shared_inclusive:
            holders = sorted(line.sharers if line.owner is None else {line.owner})
            losers = [holder for holder in holders if self.tables.node_of[holder] == node]
            line.owner = None if line.owner in losers else line.owner
            line.sharers = line.sharers - {*losers}
        back = line.modified and line.owner is None
        if back:
            self._write_back(line, cpu, now)
        return losers, back

    def _write_back(self, line: Line[_Requester], cpu: int, now: int) -> None:
        """Write a modified line from a CPU's node back to memory."""
        d = self._to_home(line, cpu)
        latency = self.tables.memory_ps[d]
        home = _Supply(latency, "memory", line.home, d)
        _busy(line, self._take_path(cpu, line.home, home, now) + latency)
        line.modified = False

    def _supply(self, line: Line[_Requester], cpu: int, waited_ps: int) -> _Supply:
        """The data comes from the owner, a shared cache, a sharer, or the home's memory."""
        if line.owner is not None:
            return self._from_cache(line.owner, cpu, waited_ps, alone=True)
        if self.tables.node_of[cpu] in line.kept:
            latency, node = self.tables.shared_hit_ps, self.tables.node_of[cpu]
            return _Supply(latency, supplier_counter(SAME_NODE), node, SAME_NODE)
        if line.kept and (line.modified or self.tables.clean_nearest):
            away = {node: self.tables.home_distance[node][cpu] for node in line.kept}
            node = min(away, key=lambda node: (away[node], node))
            if line.modified or not any(
                self.distance[cpu][other] <= away[node] for other in line.sharers
            ):
                return self._from_shared(node, cpu, waited_ps, alone=line.modified)
        if line.sharers and self.tables.clean_nearest:
            nearest = min(line.sharers, key=lambda other: (self.distance[cpu][other], other))
            return self._from_cache(nearest, cpu, waited_ps, alone=False)
        d = self._to_home(line, cpu)
        return _Supply(self.tables.memory_ps[d], "memory", line.home, d)

    def _from_cache(self, supplier: int, cpu: int, waited_ps: int, *, alone: bool) -> _Supply:
        d = self.distance[cpu][supplier]
        latency = self.tables.transfer_ps[d] - self._overlapped(d, waited_ps)
        node = self.tables.node_of[supplier]
        return _Supply(latency, supplier_counter(d), node, d, alone, supplier)

    def _from_shared(self, node: int, cpu: int, waited_ps: int, *, alone: bool) -> _Supply:
        """From the shared cache of another node."""
        d = self.tables.home_distance[node][cpu]
        latency = self.tables.transfer_ps[d] - self._overlapped(d, waited_ps)
        return _Supply(latency, supplier_counter(d), node, d, alone)

    def _upgrade(self, line: Line[_Requester], cpu: int, waited_ps: int) -> _Supply:
        """A sharer that wants to write needs no data, only the home's permission."""
        d = self._to_home(line, cpu)
        latency = self.tables.invalidate_ps[d] - self._overlapped(d, waited_ps)
        return _Supply(latency, "upgrades", line.home, d)

    def _invalidation(
        self, line: Line[_Requester], elsewhere: frozenset[int], cpu: int, waited_ps: int
    ) -> int:
        """Time until the last of the other sharers has lost its copy.

        The shared caches of other nodes lose theirs, too.
        """
        others = line.sharers - {cpu}
        away = [self.distance[cpu][other] for other in others]
        if line.owner is None:
            away += [self.tables.home_distance[node][cpu] for node in elsewhere]
        if not away:
            return 0
        first = self.tables.invalidate_ps[max(away)] - self._overlapped(max(away), waited_ps)
        return first + self.tables.invalidate_each_ps * max(len(others) - 1, 0)

    def _overlapped(self, distance: int, waited_ps: int) -> int:
        """The part of a transfer or invalidation that is done while the request waits."""
        return min(waited_ps, self.tables.overlap_ps[distance])

    def _jitter(self) -> int:
        """Random extra time of a transfer, above its latency."""
        bits = draw(self.seed, TRANSACTIONS, self.transactions)
        return below(bits, self.tables.jitter_ps + 1)

    def _tenure(self, distance: int, atomic: bool) -> int:
        """The time for which the requester keeps the line after it has arrived."""
        tables = self.tables
        if atomic:
            tenure, spread = tables.tenure_class_ps, tables.tenure_class_spread_ps
        else:
            tenure, spread = tables.tenure_plain_class_ps, tables.tenure_plain_class_spread_ps
        bits = draw(self.seed, TENURES, self.transactions)
        return tenure[distance] - spread[distance] + below(bits, 2 * spread[distance] + 1)

    def _class_to(self, home: int, node: int) -> int:
        """The distance class between a home and a node with CPUs."""
        seat = next(cpu for cpu, at in enumerate(self.tables.node_of) if at == node)
        return self.tables.home_distance[home][seat]

    def _to_home(self, line: Line[_Requester], cpu: int) -> int:
        return self.tables.home_distance[line.home][cpu]

    def _take_path(self, cpu: int, home: int, supply: _Supply, now: int) -> int:
        """Wait for all between requester and supplier, and occupy it; the start time."""
        path = self._path(cpu, home, supply)
        start = max([now, *(self.busy_until[part] for part in path)])
        for part, occupancy_ps in path.items():
            self.busy_until[part] = start + occupancy_ps
        return start

    def _path(self, cpu: int, home: int, supply: _Supply) -> dict[_Part, int]:
        """The shared parts of the machine that a transaction uses, and how long."""
        tables = self.tables
        mine, other = tables.node_of[cpu], supply.node
        match tables.bus_kind:
            case 0:
                path: dict[_Part, int] = {}
            case 1:
                path = {("bus", node, 0): tables.bus_ps for node in (mine, other)}
            case _:
                path = {("bus", 0, 0): tables.bus_ps}
        if supply.distance != SAME_CORE:
            d = tables.home_distance[other][cpu]
            path |= {("link", node, d): tables.link_ps[d] for node in (mine, other)}
        if supply.by_home or mine != other:
            path["home", home, 0] = tables.home_agent_ps[tables.home_distance[home][cpu]]
        return {part: occupancy_ps for part, occupancy_ps in path.items() if occupancy_ps}


def _busy(line: Line[_Requester], until: int) -> None:
    """Serve a line's next request at a time or later."""
    line.free_at, line.quiet_at = max(line.free_at, until), max(line.quiet_at, until)


def supplier_counter(distance: int) -> str:
    """The CPU counter for data from a cache of a distance class (1 …)."""
    names = ("from_core", "from_node", "from_far1", "from_far2", "from_far3")
    return names[min(distance, len(names)) - 1]
