"""The graph of all states as loops over its edges: who waits where, components, fair cycles.

:mod:`locksim.checker.search.liveness` puts these functions together and says what they are for. An
edge's number is its place in the exploration's arrays; every result goes into an array that the
caller brings, full of zeros.
"""

from __future__ import annotations

from typing import Any

from locksim.checker.models import layout as m
from locksim.checker.search.step import FLUSH


def phases(
    n: int, threads: int, columns: int, states: Any, rows: Any, marked: Any, found: Any
) -> None:
    """For each of n states and each thread whether its program counter is at a marked row.

    Arguments:
        threads: how many. columns: of a thread's row. states, rows: the exploration's.
        marked: of each row of the program, 1 or 0.
        found: int8[n * threads].
    """
    for s in range(n):
        for k in range(threads):
            pc = rows[states[s * (threads + 1) + k] * columns + m.PC]
            found[s * threads + k] = marked[pc]


def part(
    n: int,
    threads: int,
    start: Any,
    edges: Any,
    via: Any,
    waits: Any,
    inside: Any,
    victim: int,
    entries: bool,
    source: Any,
    kept: Any,
    enters: Any,
) -> None:
    """Which edges belong to the states in which ``victim`` is inside.

    Arguments:
        n: states. threads: how many. start, edges, via: the exploration's.
        waits, inside: as :func:`phases` gives them.
        entries: whether edges by which a thread gets in belong to it.
        source, kept, enters: of each edge, where it begins, whether it belongs to the part, and
            whether a thread gets in.
    """
    for s in range(n):
        here = inside[s * threads + victim]
        for e in range(start[s], start[s + 1]):
            thread, to = via[e] // 64, edges[e]
            source[e] = s
            flushes = via[e] % 64 == FLUSH
            if not flushes and waits[s * threads + thread] and not waits[to * threads + thread]:
                enters[e] = 1
            if here and inside[to * threads + victim] and (entries or not enters[e]):
                kept[e] = 1


def components(
    n: int,
    start: Any,
    edges: Any,
    kept: Any,
    component: Any,
    order: Any,
    low: Any,
    edge: Any,
    stack: Any,
    path: Any,
) -> None:
    """Strongly connected components (Tarjan, SIAM J. Computing 1(2), 1972), from 1.

    Arguments:
        n: nodes. start, edges: the edges of node s are ``edges[start[s] : start[s + 1]]``.
        kept: of each edge, whether it counts.
        component: of each node, its component's number.
        order, low, edge, stack, path: scratch space, n zeros each.
    """
    found, time, top = 0, 0, 0
    for root in range(n):
        if order[root]:
            continue
        depth = 0
        path[0] = stack[top] = root
        top += 1
        time += 1
        order[root] = low[root] = time
        edge[root] = start[root]
        while depth >= 0:
            s = path[depth]
            if edge[s] < start[s + 1]:
                e = edge[s]
                edge[s] += 1
                to = edges[e]
                if not kept[e]:
                    continue
                if order[to] == 0:
                    time += 1
                    order[to] = low[to] = time
                    edge[to] = start[to]
                    stack[top] = to
                    top += 1
                    depth += 1
                    path[depth] = to
                elif component[to] == 0:
                    low[s] = min(low[s], order[to])
                continue
            if low[s] == order[s]:
                found += 1
                while component[s] == 0:
                    top -= 1
                    component[stack[top]] = found
            depth -= 1
            if depth >= 0:
                low[path[depth]] = min(low[path[depth]], low[s])


def fair(
    n: int,
    threads: int,
    agents: int,
    start: Any,
    edges: Any,
    via: Any,
    calm: Any,
    inside: Any,
    victim: int,
    kept: Any,
    enters: Any,
    must_enter: bool,
    component: Any,
    acts: Any,
    entered: Any,
) -> int:
    """The first state of a component in which each agent acts or is unable to somewhere; or -1.

    Arguments:
        n, threads, start, edges, via, inside, victim, kept, enters: as for :func:`part`.
        agents: bit set of all threads and store buffers. calm: the exploration's.
        must_enter: whether a thread has to get in somewhere.
        component: as :func:`components` gives it.
        acts, entered: scratch space, n + 1 zeros each.
    """
    for s in range(n):
        if inside[s * threads + victim]:
            acts[component[s]] |= calm[s]
        for e in range(start[s], start[s + 1]):
            if kept[e] and component[s] == component[edges[e]]:
                agent = via[e] // 64 + (m.BUFFERS if via[e] % 64 == FLUSH else 0)
                acts[component[s]] |= 1 << agent
                entered[component[s]] |= enters[e]
    for s in range(n):
        if inside[s * threads + victim] and acts[component[s]] & agents == agents:
            if entered[component[s]] or not must_enter:
                return s
    return -1


def entries(
    n: int, start: Any, edges: Any, kept: Any, enters: Any, component: Any, reached: Any
) -> tuple[int, int]:
    """The most entries on a path of kept edges, and -1; or 0 and the start of one on a cycle.

    Arguments:
        n, start, edges, kept, enters: as for :func:`part`. component: see :func:`components`.
        reached: n + 1 zeros.
    """
    for s in range(n):
        for e in range(start[s], start[s + 1]):
            if kept[e] and enters[e] and component[s] == component[edges[e]]:
                return 0, s
    most, changed = 0, True
    while changed:
        changed = False
        for s in range(n):
            for e in range(start[s], start[s + 1]):
                if kept[e]:
                    count = reached[component[s]] + enters[e]
                    if count > reached[component[edges[e]]]:
                        reached[component[edges[e]]] = count
                        most = max(most, count)
                        changed = True
    return most, -1
