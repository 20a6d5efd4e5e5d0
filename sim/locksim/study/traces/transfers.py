"""Line transfers of a trace, found by replaying the coherence protocol.

A trace says when and by which agent a request for a line was made and served. The line's owner, its
sharers, the supplier and the losers follow from the earlier rows by the protocol. The replay uses
the reference engine's :class:`~locksim.engine.reference.coherence.Coherence`, so there is only one
implementation. Every transfer is checked: its completion by the protocol must equal the engine's.

A buffered store gets its line long after its issue. The store also follows from the rows: a store
enters the buffer if the buffer is not empty or the CPU does not own the line, and leaves it in FIFO
order.
"""

from __future__ import annotations

import bisect
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from locksim.engine.reference.coherence import Coherence, Line
from locksim.engine.trace import DRAINED, EVICTED, GIVEN_UP, SERVED
from locksim.lang.ops import Kind
from locksim.study.traces.errors import TraceError

if TYPE_CHECKING:
    from locksim.study.traces.trace import Trace

NOTHING = -1


@dataclass(frozen=True, slots=True)
class Transfer:
    """A served request for a line.

    Arguments:
        line: its number. cpu: the requester. buffered: its store buffer requested, not its core.
        kind: "read", "write" (data, to write), "upgrade" (a sharer gets the right to write), or
            "none" (the copy had arrived meanwhile: no transfer).
        counter: its CPU counter.
        supplier: the CPU whose cache gave the data; None: memory, or no data was needed.
        losers: the CPUs that lost their copy.
        sharers: CPUs that have a copy afterwards, more than one if it is shared.
        asked_ps, served_ps, ready_ps: times of request, service and arrival.
        row: of the trace, SERVED. issued: row after which the operation was in progress: ``row``,
            or the row of issue of a buffered store.
        effect: row in which the operation took effect, -1 if the trace ends earlier.
        place: place in the program (index into the result's places).
    """

    line: int
    cpu: int
    buffered: bool
    kind: str
    counter: str
    supplier: int | None
    losers: tuple[int, ...]
    sharers: tuple[int, ...]
    asked_ps: int
    served_ps: int
    ready_ps: int
    row: int
    issued: int
    effect: int
    place: int

    @property
    def queue_ps(self) -> int:
        """Time in the line's queue."""
        return self.served_ps - self.asked_ps

    @property
    def miss_ps(self) -> int:
        """Time from the request to the arrival."""
        return self.ready_ps - self.asked_ps


def transfers(trace: Trace) -> list[Transfer]:
    """Replay a trace's requests.

    Raises:
        TraceError: the rows are not those of this machine and seed, from time 0 on.
    """
    protocol = Coherence(trace.tables, trace.seed)
    lines: dict[int, Line[int]] = {}
    pending: list[deque[int]] = [deque() for _ in range(trace.tables.n_cpus)]
    effect = _effects(trace)
    home = _home_of(trace)
    found = []
    wpl = trace.memory.space.words_per_line
    rmws = range(Kind.SWAP, Kind.FETCH_XOR + 1)

    def line_of(number: int) -> Line[int]:
        if number not in lines:
            lines[number] = Line(number, home(number))
        return lines[number]

    rows = zip(trace.rows.tolist(), trace.origins.tolist(), strict=True)
    for k, ((time, agent, what, address, value), (place, asked, exclusive)) in enumerate(rows):
        cpu = agent >> 1
        holder = trace.tables.holder(cpu)
        if what == Kind.STORE:
            if pending[cpu] or line_of(address // wpl).owner != holder:
                pending[cpu].append(k)
            else:
                line_of(address // wpl).modified = True
        elif what == DRAINED:
            pending[cpu].popleft()
            line_of(address // wpl).modified = True
        elif what in rmws:
            line_of(address // wpl).modified = True
        elif what == EVICTED:
            protocol.evict(line_of(address), holder, time)
        elif what == GIVEN_UP:
            protocol.give_up(line_of(address), cpu, time)
        elif what == SERVED:
            line = line_of(address)
            shared = holder in line.sharers
            served = protocol.serve(
                line, holder, bool(exclusive), time, waited_ps=time - asked, far=exclusive == 2
            )
            if served.completes_ps != value:
                raise TraceError(
                    f"row {k}: the line {trace.line(address)} arrives at {value} ps, but by the "
                    f"protocol at {served.completes_ps} ps: the trace was recorded on another "
                    "machine, or with another seed or start"
                )
            kind = "upgrade" if exclusive and shared else "write" if exclusive else "read"
            found.append(
                Transfer(
                    line=address,
                    cpu=cpu,
                    buffered=bool(agent & 1),
                    kind="none" if served.counter == "hits" else kind,
                    counter=served.counter,
                    supplier=served.supplier,
                    losers=served.losers,
                    sharers=tuple(sorted(line.sharers))
                    or ((holder,) if line.owner == holder else ()),
                    asked_ps=asked,
                    served_ps=time,
                    ready_ps=value,
                    row=k,
                    issued=pending[cpu][0] if agent & 1 else k,
                    effect=effect[k],
                    place=place,
                )
            )
    return found


def _effects(trace: Trace) -> dict[int, int]:
    """For each row SERVED, the next row of its agent, in which the operation takes effect."""
    effect: dict[int, int] = {}
    last: dict[int, int] = {}
    for k, (agent, what) in enumerate(trace.rows[:, 1:3].tolist()):
        if what in (EVICTED, GIVEN_UP):
            continue
        if agent in last:
            effect[last.pop(agent)] = k
        if what == SERVED:
            last[agent] = k
            effect[k] = NOTHING
    return effect


def _home_of(trace: Trace) -> Callable[[int], int]:
    """A function for a line's home node; an allocated line's is that of its first allocator."""
    wpl, fresh = trace.memory.space.words_per_line, trace.memory.heap_next
    node: dict[int, int] = {}
    for agent, address in trace.rows[trace.rows[:, 2] == Kind.ALLOC][:, [1, 3]].tolist():
        node.setdefault(address // wpl, trace.tables.node_of[agent >> 1])
    starts = sorted(line for line in node if line >= fresh)

    def home(line: int) -> int:
        if line < fresh:
            return trace.memory.home[line]
        return node[starts[bisect.bisect_right(starts, line) - 1]]

    return home
