"""Can every thread still finish? A search backwards from the final states.

A state from which no final state can be reached, whatever the scheduler does, is doomed: threads
sleep for ever, or spin for ever on a word that no thread will change. That covers deadlock in the
strict sense (no step at all) and every spinning deadlock.

This is not the question of starvation: a thread that others may overtake for ever can still
finish, if the scheduler ever lets it.
"""

from __future__ import annotations

from typing import Any

from locksim.lang.words import prefetch

_AHEAD = 8
"""Edges ahead of which what their ends hold is fetched."""


def doomed(
    n: int, edge_start: Any, edges: Any, final: Any, into: Any, source: Any, todo: Any, hopeful: Any
) -> int:
    """The first state from which no final state can be reached, or -1.

    Among the doomed states, one where nothing changes any more (every step leads back to the same
    state) is preferred, since it shows the fault most plainly; of those the one with the shortest
    path.

    Arguments:
        n: how many states there are, all explored.
        edge_start: int64[n + 1], where each state's edges begin. edges: where each leads.
        final: 1 for each final state.
        into: n + 1 zeros, source: a zero for each edge, todo: n zeros, scratch space.
        hopeful: n zeros; becomes 1 for each state that leads to a final one.
    """
    n_edges = edge_start[n]
    for e in range(n_edges):
        if e + _AHEAD < n_edges:
            prefetch(into, edges[e + _AHEAD] + 1)
        into[edges[e] + 1] += 1
    for i in range(n):
        into[i + 1] += into[i]
        todo[i] = into[i]
    for s in range(n):
        for e in range(edge_start[s], edge_start[s + 1]):
            if e + _AHEAD < n_edges:
                prefetch(todo, edges[e + _AHEAD])
            source[todo[edges[e]]] = s
            todo[edges[e]] += 1
    left = 0
    for s in range(n):
        if final[s]:
            hopeful[s] = 1
            todo[left] = s
            left += 1
    while left:
        left -= 1
        s = todo[left]
        for k in range(into[s], into[s + 1]):
            before = source[k]
            if not hopeful[before]:
                hopeful[before] = 1
                todo[left] = before
                left += 1
    first = -1
    for s in range(n):
        if not hopeful[s]:
            if edge_start[s] == edge_start[s + 1]:
                return s
            if first < 0:
                first = s
    return first
