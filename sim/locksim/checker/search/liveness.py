"""Is everybody served, and who overtakes whom? Cycles in the graph of all states.

The clients are endless (:mod:`locksim.checker.clients.endless`), so a run that never serves
somebody is a cycle of states in which that thread waits: between the mark at the start of its
``acquire`` and the one at its end.

*Starvation and livelock* are cycles that are weakly fair: each thread, and each store buffer that
is not empty, acts in the cycle, or is unable to act somewhere in it. (A thread that spins acts.)
In a starvation others get in meanwhile; in a livelock nobody does. A strongly connected component
holds such a cycle exactly if it holds all that is needed anywhere.

*Bypass*: how often others get in while a thread waits in its waiting loop, at most. No fairness is
asked for: a thread may be as slow as it likes. The *doorway* before that loop does not count; a
waiting loop is one with a ``pause()`` or a ``block()`` in it. FIFO locks have a bypass of at most
one for each of the others. If a cycle holds an entry, there is no bound.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from locksim.checker.models import model as m
from locksim.checker.models.outcome import DONE
from locksim.checker.search.compiled import act
from locksim.checker.search.explore import Exploration
from locksim.checker.search.loop import BUFFERS
from locksim.checker.search.program import Program, successors
from locksim.checker.search.registers import NOTES
from locksim.checker.search.step import FLUSH, MAX_CHOICES
from locksim.compiler import bytecode as b
from locksim.lang.ops import Mark

_Bool = npt.NDArray[np.bool_]
_Int = npt.NDArray[np.int64]

_STARTS = (Mark.ACQUIRE_START, Mark.READ_START)
_ENDS = (Mark.ACQUIRED, Mark.READ_ACQUIRED)


@dataclass(frozen=True)
class Lasso:
    """A run that goes round for ever.

    Arguments:
        found: "starvation", "livelock" or "bypass".
        victim: the thread that waits for ever.
        path: the steps to the cycle (thread * 64 + action each). cycle: the steps of the cycle.
    """

    found: str
    victim: int
    path: list[int]
    cycle: list[int]


@dataclass(frozen=True)
class _Graph:
    """A part of the graph: edges between states that are in it.

    Arguments:
        source, target, agent, via, enters: of each edge; ``enters``: somebody gets in.
        component: of each state, the number of its strongly connected component.
        inside: bool[n_states], the states in this part.
    """

    source: _Int
    target: _Int
    agent: _Int
    via: _Int
    enters: _Bool
    component: _Int
    inside: _Bool

    @property
    def within(self) -> _Bool:
        """Which edges stay in their component."""
        result: _Bool = self.component[self.source] == self.component[self.target]
        return result


def starving(found: Exploration) -> Lasso | None:
    """A weakly fair run in which some thread waits for ever, or None if there is none.

    A livelock is preferred to a starvation.

    Arguments:
        found: a complete exploration of an endless client.
    """
    waits, _ = _phases(found)
    n = found.model.n_threads
    everybody = ((1 << n) - 1) | (((1 << n) - 1) << BUFFERS)
    calm = found.space.calm[: found.states].astype(np.int64)
    for kind in ("livelock", "starvation"):
        for victim in range(n):
            graph = _part(found, waits, waits[:, victim], entries=kind == "starvation")
            within = graph.within
            acts = np.zeros(found.states, np.int64)
            np.bitwise_or.at(acts, graph.component[graph.inside], calm[graph.inside])
            shifted = np.int64(1) << graph.agent
            np.bitwise_or.at(acts, graph.component[graph.source][within], shifted[within])
            fair = graph.inside & (acts[graph.component] & everybody == everybody)
            if kind == "starvation" and fair.any():
                entered = np.zeros(found.states, np.bool_)
                entered[graph.component[graph.source][within & graph.enters]] = True
                fair &= entered[graph.component]
            if fair.any():
                first = int(np.flatnonzero(fair)[0])
                return _lasso(found, graph, kind, victim, first, range(n))
    return None


def bypass(found: Exploration) -> int | Lasso:
    """How often others get in at most while a thread waits; or a run in which there is no bound.

    Arguments:
        found: a complete exploration of an endless client.
    """
    waits, begun = _phases(found)
    most = 0
    for victim in range(found.model.n_threads):
        graph = _part(found, waits, begun[:, victim], entries=True)
        endless = graph.within & graph.enters
        if endless.any():
            first = int(graph.source[np.flatnonzero(endless)[0]])
            return _lasso(found, graph, "bypass", victim, first, ())
        most = max(most, _longest(graph))
    return most


def _longest(graph: _Graph) -> int:
    """The largest number of entries on a path; no cycle has any."""
    source, target = graph.component[graph.source], graph.component[graph.target]
    reached = np.zeros(len(graph.component), np.int64)
    while True:
        further = reached.copy()
        np.maximum.at(further, target, reached[source] + graph.enters)
        if (further == reached).all():
            return int(reached.max(initial=0))
        reached = further


def _phases(found: Exploration) -> tuple[_Bool, _Bool]:
    """For each state and thread: whether it is in its acquire, and past the doorway there."""
    waiting, begun = _waiting(found.model.program)
    space, n = found.space, found.model.n_threads
    at = space.threads[space.states[: found.states, :n], m.PC]
    return waiting[at], begun[at]


def _waiting(program: Program) -> tuple[_Bool, _Bool]:
    """For each row of the program: whether a thread there waits, and is past the doorway."""
    code = [[int(x) for x in row] for row in program.code]
    size = len(code)
    held: list[frozenset[int] | None] = [None] * size
    todo: list[tuple[int, frozenset[int]]] = [(program.entry, frozenset())]
    while todo:
        k, started = todo.pop()
        if held[k] is not None:
            continue
        held[k] = started
        row = code[k]
        if row[0] == b.MARK and row[1] in _STARTS:
            started = started | {row[2]}
        elif row[0] == b.MARK and row[1] in _ENDS:
            started = started - {row[2]}
        todo += [(j, started) for j in successors(row, k) if j < size]
    waiting = np.array([bool(h) for h in held])
    edges = [
        (k, j) for k in range(size) if waiting[k] for j in successors(code[k], k) if waiting[j]
    ]
    ends = np.array(edges, np.int64).reshape(-1, 2)
    graph = coo_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(size, size))
    _, component = connected_components(graph, connection="strong")
    looping = {component[k] for k, j in edges if component[k] == component[j]}
    pauses = {component[k] for k in range(size) if code[k][0] in (b.PAUSE, b.BLOCK) and waiting[k]}
    begun = np.array([waiting[k] and component[k] in looping & pauses for k in range(size)])
    onward = [k for k in range(size) if begun[k]]
    while onward:
        k = onward.pop()
        for j in successors(code[k], k):
            if waiting[j] and not begun[j]:
                begun[j] = True
                onward.append(j)
    return waiting, begun


def _part(found: Exploration, waits: _Bool, inside: _Bool, *, entries: bool) -> _Graph:
    """The states that are inside, the edges between them, and their components.

    Arguments:
        entries: whether edges by which somebody gets in belong to it.
    """
    space, n = found.space, found.states
    start = space.edge_start[: n + 1]
    source = np.repeat(np.arange(n), np.diff(start))
    target = space.edges[: start[-1]].astype(np.int64)
    via = space.edge_via[: start[-1]].astype(np.int64)
    thread, flushes = via // 64, via % 64 == FLUSH
    enters = ~flushes & waits[source, thread] & ~waits[target, thread]
    kept = inside[source] & inside[target] & (entries | ~enters)
    source, target = source[kept], target[kept]
    graph = coo_array((np.ones(len(source), np.int8), (source, target)), shape=(n, n))
    _, component = connected_components(graph, connection="strong")
    return _Graph(
        source,
        target,
        (thread + BUFFERS * flushes)[kept],
        via[kept],
        enters[kept],
        component.astype(np.int64),
        inside,
    )


def _lasso(
    found: Exploration, graph: _Graph, kind: str, victim: int, first: int, acting: range | tuple[()]
) -> Lasso:
    """A cycle in which the threads ``acting`` act or can not, and somebody enters if need be."""
    here = np.flatnonzero(graph.within & (graph.component[graph.source] == graph.component[first]))
    out: dict[int, list[int]] = {}
    for e in here:
        out.setdefault(int(graph.source[e]), []).append(int(e))
    cycle: list[int] = []
    at = first
    visited = {at}

    def go(goal: set[int]) -> None:
        """Walk on to one of some edges, and over it."""
        nonlocal at
        for e in _way(graph, out, at, goal):
            cycle.append(int(graph.via[e]))
            at = int(graph.target[e])
            visited.add(at)

    if kind != "livelock":
        go({int(e) for e in here if graph.enters[e]})
    for agent in [i + BUFFERS for i in acting] + list(acting):
        did = {v // 64 + BUFFERS * (v % 64 == FLUSH) for v in cycle}
        if agent in did:
            continue
        edges = {int(e) for e in here if graph.agent[e] == agent}
        calm = {s for s in (*out, at) if found.space.calm[s] >> agent & 1}
        if calm and not calm & visited:
            go({int(e) for e in here if int(graph.target[e]) in calm})
        if calm & visited:
            spot = at if at in calm else None
            if spot is None:
                go({int(e) for e in here if int(graph.target[e]) in calm})
            if agent < BUFFERS and (still := _standing(found, at, agent)) is not None:
                cycle.append(still)
        elif edges:
            go(edges)
    if at != first:
        go({int(e) for e in here if int(graph.target[e]) == first})
    return Lasso(kind, victim, found.path(first), cycle)


def _way(graph: _Graph, out: dict[int, list[int]], start: int, goal: set[int]) -> list[int]:
    """The edges of a shortest walk from a state whose last edge is one of the goal."""
    before: dict[int, int] = {}
    todo = deque([start])
    seen = {start}
    while todo:
        s = todo.popleft()
        for e in out.get(s, []):
            target = int(graph.target[e])
            if e in goal:
                way = [e]
                while s != start:
                    way.append(before[s])
                    s = int(graph.source[before[s]])
                return way[::-1]
            if target not in seen:
                seen.add(target)
                before[target] = e
                todo.append(target)
    raise AssertionError("the goal is not in the component")


def _standing(found: Exploration, state: int, thread: int) -> int | None:
    """A step of a thread that changes nothing, as a spin's; None if it can not act at all."""
    space, model = found.space, found.model
    note, regs = np.zeros(NOTES, np.int64), model.program.registers.copy()
    for action in range(MAX_CHOICES):
        row = space.threads[space.states[state, thread]].copy()
        shared = space.shared[space.states[state, -1]].copy()
        if act(model.tables, row, shared, regs, action, note) != DONE:
            return None
        if (row == space.threads[space.states[state, thread]]).all() and (
            shared == space.shared[space.states[state, -1]]
        ).all():
            return thread * 64 + action
    return None
