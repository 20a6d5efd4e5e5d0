"""Is every thread served, and which overtakes which? Cycles in the graph of all states.

The clients are endless (``StructKind.endless_clients``), so a run that never serves
one of them is a cycle of states in which that thread waits: between the mark at the start of its
``acquire`` and the one at its end.

*Starvation and livelock* are cycles that are weakly fair: each thread, and each store buffer that
is not empty, acts in the cycle, or is unable to act somewhere in it. (A thread that spins acts.)
In a starvation others get in meanwhile; in a livelock none does. A strongly connected component
holds such a cycle exactly if it holds all that is needed anywhere.

*Bypass*: how often others get in at most while a thread waits. No fairness is asked for: a thread
may be as slow as it likes. What happens in the *doorway*, before a thread has announced itself,
does not count. A lock's author marks its end by ``doorway()``. Without that mark waiting begins in
the first loop with a ``pause()`` or a ``block()`` in it. But a loop with an atomic
read-modify-write, after which the thread waits in another such loop, is taken for an announcement
that is tried again, and belongs to the doorway. FIFO locks have a bypass of at most one for each of
the others. If a cycle holds an entry, there is no bound.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import accumulate

from locksim.checker.models import layout as m
from locksim.checker.models.layout import BUFFERS
from locksim.checker.models.outcome import DONE
from locksim.checker.models.program import Program, successors
from locksim.checker.models.registers import NOTES
from locksim.checker.search import cycles
from locksim.checker.search.explore import Exploration
from locksim.checker.search.loop import Numbers
from locksim.checker.search.step import FLUSH, MAX_CHOICES, perform
from locksim.compiler import bytecode as b
from locksim.compiler.control_flow import reachable
from locksim.lang.ops import Mark

_STARTS = (Mark.ACQUIRE_START, Mark.READ_START)
_ENDS = (Mark.ACQUIRED, Mark.READ_ACQUIRED)


@dataclass(frozen=True)
class Lasso:
    """A run that goes round for ever.

    Arguments:
        found: "starvation", "livelock" or "bypass".
        victim: the thread that waits forever.
        path: the steps to the cycle (thread * 64 + action each). cycle: the steps of the cycle.
    """

    found: str
    victim: int
    path: list[int]
    cycle: list[int]


@dataclass(frozen=True)
class _Graph:
    """A part of the graph of all states: those in which a thread waits, and edges between them.

    Arguments:
        found: the exploration, whose edges they are.
        source, kept, enters: of each edge, where it begins, whether it is in the part, and whether
            a thread gets in by it.
        component: of each state, the number of its strongly connected component.
        inside: of each state and thread, whether it waits. victim: the thread.
    """

    found: Exploration
    source: Numbers
    kept: Numbers
    enters: Numbers
    component: Numbers
    inside: Numbers
    victim: int

    def agent(self, edge: int) -> int:
        """Who acts on an edge."""
        return _agent(int(self.found.space.edge_via[edge]))

    def target(self, edge: int) -> int:
        """Where an edge leads."""
        return int(self.found.space.edges[edge])

    def around(self, state: int) -> list[int]:
        """The edges of a state's component."""
        where, kept, source = self.component, self.kept, self.source
        here = where[state]
        ends = enumerate(self.found.space.edges[: len(kept)])
        return [e for e, to in ends if kept[e] and where[source[e]] == here == where[to]]


def starving(found: Exploration) -> Lasso | None:
    """A weakly fair run in which some thread waits forever, or None if there is none.

    A livelock is preferred to a starvation.

    Arguments:
        found: a complete exploration of an endless client.
    """
    waits, _ = _phases(found)
    n, zeros, space = found.model.n_threads, found.runner.zeros, found.space
    everybody = ((1 << n) - 1) | (((1 << n) - 1) << BUFFERS)
    for kind in ("livelock", "starvation"):
        for victim in range(n):
            enter = kind == "starvation"
            graph = _part(found, waits, waits, victim, entries=enter)
            first = found.runner.fair(
                found.states, n, everybody, space.edge_start, space.edges, space.edge_via,
                space.calm, waits, victim, graph.kept, graph.enters, enter, graph.component,
                zeros("q", found.states + 1), zeros("b", found.states + 1),
            )  # fmt: skip
            if first >= 0:
                return _lasso(graph, kind, int(first), range(n))
    return None


def bypass(found: Exploration) -> int | Lasso:
    """How often others get in at most while a thread waits; or a run in which there is no bound.

    Arguments:
        found: a complete exploration of an endless client.
    """
    waits, begun = _phases(found)
    space, most = found.space, 0
    for victim in range(found.model.n_threads):
        graph = _part(found, waits, begun, victim, entries=True)
        reached = found.runner.zeros("q", found.states + 1)
        count, first = found.runner.entries(
            found.states, space.edge_start, space.edges, graph.kept, graph.enters,
            graph.component, reached,
        )  # fmt: skip
        if first >= 0:
            return _lasso(graph, "bypass", int(first), ())
        most = max(most, int(count))
    return most


def _phases(found: Exploration) -> tuple[Numbers, Numbers]:
    """For each state and thread: whether it is in its acquire, and past the doorway there."""
    by, space, n = found.runner, found.space, found.model.n_threads
    columns, results = found.model.tables.size[m.ROW], []
    for marked in _waiting(found.model.program):
        results.append(by.zeros("b", found.states * n))
        rows = by.row([int(mark) for mark in marked])
        by.phases(found.states, n, columns, space.states, space.threads, rows, results[-1])
    return results[0], results[1]


def _waiting(program: Program) -> tuple[list[bool], list[bool]]:
    """For each row of the program: whether a thread there waits, and is past the doorway."""
    code = program.code
    size = len(code)
    acquiring = _acquiring(program)
    waiting = [bool(acquiring.get(k)) for k in range(size)]
    ways = [[j for j in successors(code[k], k) if waiting[k] and waiting[j]] for k in range(size)]
    marked = [k for k in range(size) if waiting[k] and code[k][:2] == [b.MARK, Mark.DOORWAY]]
    starts = [j for k in marked for j in ways[k]]
    loops = _spins(code, waiting, ways)
    for rows in loops:
        after = reachable(rows, ways.__getitem__)
        tries = any(b.SWAP <= code[k][0] <= b.FETCH_XOR and not code[k][6] for k in rows)
        again = tries and any(other is not rows and after & set(other) for other in loops)
        if not again and not after & set(marked):
            starts += rows
    begun = reachable(starts, ways.__getitem__)
    return waiting, [k in begun for k in range(size)]


def _spins(code: list[list[int]], waiting: list[bool], ways: list[list[int]]) -> list[list[int]]:
    """The rows of each loop of an acquire in which a thread pauses."""
    component = _components(ways)
    looping = {
        component[k] for k, to in enumerate(ways) for j in to if component[j] == component[k]
    }
    rows = [k for k, row in enumerate(code) if waiting[k] and component[k] in looping]
    pausing = {component[k] for k in rows if code[k][0] in (b.PAUSE, b.BLOCK)}
    return [[k for k in rows if component[k] == c] for c in sorted(pausing)]


def _acquiring(program: Program) -> dict[int, frozenset[int]]:
    """For each row that can be reached, the locks whose acquire a thread there is in."""
    code = program.code
    held: dict[int, frozenset[int]] = {}
    todo: list[tuple[int, frozenset[int]]] = [(program.entry, frozenset())]
    while todo:
        k, started = todo.pop()
        if k in held or k >= len(code):
            continue
        held[k] = started
        row = code[k]
        if row[0] == b.MARK and row[1] in _STARTS:
            started = started | {row[2]}
        elif row[0] == b.MARK and row[1] in _ENDS:
            started = started - {row[2]}
        todo += [(j, started) for j in successors(row, k)]
    return held


def _components(ways: list[list[int]]) -> list[int]:
    """The strongly connected component of each node of a small graph."""
    n, start = len(ways), list(accumulate(map(len, ways), initial=0))
    edges = [to for row in ways for to in row]
    component, *scratch = ([0] * n for _ in range(6))
    cycles.components(n, start, edges, [1] * len(edges), component, *scratch)
    return component


def _part(
    found: Exploration, waits: Numbers, inside: Numbers, victim: int, *, entries: bool
) -> _Graph:
    """The states in which a thread is inside, the edges between them, and their components.

    Arguments:
        entries: whether edges by which a thread gets in belong to it.
    """
    space, by, n = found.space, found.runner, found.states
    edges = int(space.edge_start[n])
    source, kept, enters = by.zeros("i", edges), by.zeros("b", edges), by.zeros("b", edges)
    by.part(
        n, found.model.n_threads, space.edge_start, space.edges, space.edge_via, waits, inside,
        victim, entries, source, kept, enters,
    )  # fmt: skip
    component, *scratch = (by.zeros("q", n) for _ in range(6))
    by.components(n, space.edge_start, space.edges, kept, component, *scratch)
    return _Graph(found, source, kept, enters, component, inside, victim)


@dataclass
class _Walk:
    """A walk through a component.

    Arguments:
        graph: where it walks. at: the state that it is in. here: the edges of the component.
        out: of each state there, the edges that leave it. steps: those walked so far.
    """

    graph: _Graph
    at: int
    here: list[int]
    out: dict[int, list[int]]
    steps: list[int]

    def take(self, goal: set[int]) -> None:
        """Walk on to one of some edges, and over it."""
        for e in _way(self.graph, self.out, self.at, goal):
            self.steps.append(int(self.graph.found.space.edge_via[e]))
            self.at = self.graph.target(e)

    def reach(self, states: set[int]) -> None:
        """Walk on to one of some states, if it is in none of them."""
        if self.at not in states:
            self.take({e for e in self.here if self.graph.target(e) in states})

    def act(self, agent: int) -> None:
        """Let an agent act, or come to a state in which it cannot."""
        calm = {s for s in self.out if self.graph.found.space.calm[s] >> agent & 1}
        edges = {e for e in self.here if self.graph.agent(e) == agent}
        if calm:
            self.reach(calm)
            if agent < BUFFERS:
                self.steps += _standing(self.graph.found, self.at, agent)
        elif edges:
            self.take(edges)


def _lasso(graph: _Graph, kind: str, first: int, acting: range | tuple[()]) -> Lasso:
    """A cycle in which the threads ``acting`` act or cannot, and one enters if need be."""
    here = graph.around(first)
    out: dict[int, list[int]] = {first: []}
    for e in here:
        out.setdefault(int(graph.source[e]), []).append(e)
    walk = _Walk(graph, first, here, out, [])
    if kind != "livelock":
        walk.take({e for e in here if graph.enters[e]})
    for agent in [*(i + BUFFERS for i in acting), *acting]:
        if agent not in map(_agent, walk.steps):
            walk.act(agent)
    walk.reach({first})
    return Lasso(kind, graph.victim, graph.found.path(first), walk.steps)


def _agent(via: int) -> int:
    """Who acts in a step."""
    return via // 64 + BUFFERS * (via % 64 == FLUSH)


def _way(graph: _Graph, out: dict[int, list[int]], start: int, goal: set[int]) -> list[int]:
    """The edges of a shortest walk from a state whose last edge is one of the goal."""
    before: dict[int, int] = {}
    todo = deque([start])
    seen = {start}
    while todo:
        s = todo.popleft()
        for e in out.get(s, []):
            target = graph.target(e)
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


def _standing(found: Exploration, state: int, thread: int) -> list[int]:
    """A step of a thread that changes nothing, as a spin's; none if it cannot act at all."""
    model = found.model
    numbers = found.row_numbers(state)
    before, words = found.thread_row(numbers[thread]), found.shared_row(numbers[-1])
    note, regs = [0] * NOTES, list(model.program.registers)
    for action in range(MAX_CHOICES):
        row, shared = before.copy(), words.copy()
        if perform(model.tables, row, shared, regs, action, note) != DONE:
            return []
        if row == before and shared == words:
            return [thread * 64 + action]
    return []
