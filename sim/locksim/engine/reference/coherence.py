"""Cache lines and buses of the reference engine: holders of lines, and times of transfers.

This is the part of ``sim/PHYSICS.md`` without agents. For a request that is served now, it gives
the supplier of the data, the CPUs that lose a copy, the arrival time, and the time of the next
service.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Generic, TypeVar

from locksim.lang.randomness import TRANSACTIONS, below, draw
from locksim.machine import MachineTables

_Requester = TypeVar("_Requester")


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
        modified: whether the owner's copy differs from memory.
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
            ablations).
    """

    completes_ps: int
    counter: str
    losers: tuple[int, ...] = ()
    delay_ps: int = 0
    supplier: int | None = None


@dataclass(frozen=True, slots=True)
class _Supply:
    """The source of data or permission: its time, its counter, the supplier's node."""

    latency_ps: int
    counter: str
    node: int
    by_owner: bool = False
    cpu: int | None = None


class Coherence:
    """The protocol of one machine."""

    def __init__(self, tables: MachineTables, seed: int) -> None:
        self.tables, self.seed = tables, seed
        self.transactions = 0
        self.distance = tables.distance
        self.bus_free_at = [0] * max(1, tables.n_nodes)

    def serve(
        self,
        line: Line[_Requester],
        cpu: int,
        exclusive: bool,
        now: int,
        *,
        atomic: bool = False,
        waited_ps: int = 0,
    ) -> Served:
        """Serve a CPU's request for a line, which must be free now.

        ``atomic``: the requester is an atomic instruction, not a load or the store buffer.
        ``waited_ps``: how long the request has waited for the line.
        """
        if line.writable(cpu) or (not exclusive and line.readable(cpu)):
            # An earlier request of the CPU's other agent has brought the line already.
            return Served(now + self.tables.l1_hit_ps, "hits")
        if cpu in line.sharers:
            supply = self._upgrade(line, cpu, waited_ps)
        else:
            supply = self._supply(line, cpu, waited_ps)
        others = sorted(line.sharers - {cpu})
        nobody = line.owner is None and not line.sharers
        losers: tuple[int, ...] = ()
        latency = supply.latency_ps
        if exclusive:
            latency = max(latency, self._invalidation(others, cpu, waited_ps))
            losers = tuple(others) if line.owner is None else (line.owner,)
            line.owner, line.sharers = cpu, set()
            line.modified = True
        else:
            line.modified = False
            if nobody:
                line.owner = cpu
            else:
                line.sharers |= {cpu} if line.owner is None else {cpu, line.owner}
                line.owner = None
        start = self._take_bus(cpu, supply.node, now)
        latency += self._jitter()
        busy = latency * self.tables.line_busy_percent // 100
        line.filler, line.ready_at = cpu, start + busy
        held_until = line.ready_at + (
            self.tables.tenure_ps if atomic else self.tables.tenure_plain_ps
        )
        if exclusive:
            line.free_at = held_until
        elif supply.by_owner or nobody or self.tables.blocking:
            line.free_at = line.ready_at
        else:
            line.free_at = start + self.tables.shared_read_ps
        line.quiet_at = max(line.quiet_at, held_until)
        line.transactions += 1
        return Served(line.ready_at, supply.counter, losers, latency - busy, supply.cpu)

    def evict(self, line: Line[_Requester], cpu: int, now: int) -> bool:
        """Evict a CPU's copy to make room; whether it had to be written back."""
        back = line.writable(cpu) and line.modified
        if line.writable(cpu):
            line.owner = None
        line.sharers = line.sharers - {cpu}
        if back:
            start = self._take_bus(cpu, line.home, now)
            until = start + self.tables.memory_ps[self._to_home(line, cpu)]
            line.free_at, line.quiet_at = max(line.free_at, until), max(line.quiet_at, until)
            line.modified = False
        return back

    def _supply(self, line: Line[_Requester], cpu: int, waited_ps: int) -> _Supply:
        """The data comes from the owner, from a sharer, or from the home's memory."""
        if line.owner is not None:
            return self._from_cache(line.owner, cpu, waited_ps, by_owner=True)
        if line.sharers and self.tables.clean_nearest:
            nearest = min(line.sharers, key=lambda other: (self.distance[cpu][other], other))
            return self._from_cache(nearest, cpu, waited_ps, by_owner=False)
        latency = self.tables.memory_ps[self._to_home(line, cpu)]
        return _Supply(latency, "memory", line.home)

    def _from_cache(self, supplier: int, cpu: int, waited_ps: int, *, by_owner: bool) -> _Supply:
        d = self.distance[cpu][supplier]
        latency = self.tables.transfer_ps[d] - self._overlapped(d, waited_ps)
        node = self.tables.node_of[supplier]
        return _Supply(latency, supplier_counter(d), node, by_owner, supplier)

    def _upgrade(self, line: Line[_Requester], cpu: int, waited_ps: int) -> _Supply:
        """A sharer that wants to write needs no data, only the home's permission."""
        d = self._to_home(line, cpu)
        latency = self.tables.invalidate_ps[d] - self._overlapped(d, waited_ps)
        return _Supply(latency, "upgrades", line.home)

    def _invalidation(self, others: list[int], cpu: int, waited_ps: int) -> int:
        """Time until the last of the other sharers has lost its copy."""
        if not others:
            return 0
        farthest = max(self.distance[cpu][other] for other in others)
        first = self.tables.invalidate_ps[farthest] - self._overlapped(farthest, waited_ps)
        return first + self.tables.invalidate_each_ps * (len(others) - 1)

    def _overlapped(self, distance: int, waited_ps: int) -> int:
        """The part of a transfer or invalidation that is done while the request waits."""
        return min(waited_ps, self.tables.overlap_ps[distance])

    def _jitter(self) -> int:
        """Random extra time of a transfer, above its latency."""
        bits = draw(self.seed, TRANSACTIONS, self.transactions)
        self.transactions += 1
        return below(bits, self.tables.jitter_ps + 1)

    def _to_home(self, line: Line[_Requester], cpu: int) -> int:
        return self.tables.home_distance[line.home][cpu]

    def _take_bus(self, cpu: int, supplier_node: int, now: int) -> int:
        """Wait for the buses between requester and supplier and occupy them; the start time."""
        match self.tables.bus_kind:
            case 0:
                return now
            case 1:
                buses = {self.tables.node_of[cpu], supplier_node}
            case _:
                buses = {0}
        start = max([now, *(self.bus_free_at[bus] for bus in buses)])
        for bus in buses:
            self.bus_free_at[bus] = start + self.tables.bus_ps
        return start


def supplier_counter(distance: int) -> str:
    """The CPU counter for data from a cache of a distance class (1 …)."""
    names = ("from_core", "from_node", "from_far1", "from_far2", "from_far3")
    return names[min(distance, len(names)) - 1]
