"""Can everybody still finish? A search backwards from the final states.

A state from which no final state can be reached, whatever the scheduler does, is doomed: threads
sleep for ever, or spin for ever on a word that nobody will change. That covers deadlock in the
strict sense (no step at all) and every spinning deadlock.

It is not starvation: a thread that others may overtake for ever can still finish whenever the
scheduler lets it.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from locksim.checker.search.explore import Exploration


def doomed(found: Exploration) -> int | None:
    """The first state from which no final state can be reached, or None.

    Among the doomed states, one where nothing changes any more (every step leads back to the same
    state) is preferred, since it shows the fault most plainly; of those the one with the shortest
    path.

    Arguments:
        found: an exploration that is complete.
    """
    space, n = found.space, found.states
    hopeful = _can_finish(space.edge_start[: n + 1], space.edges, space.final[:n])
    lost = np.flatnonzero(hopeful == 0)
    if not len(lost):
        return None
    still = lost[space.edge_start[lost + 1] == space.edge_start[lost]]
    return int(still[0]) if len(still) else int(lost[0])


@njit(cache=True)
def _can_finish(edge_start, edges, final):  # type: ignore[no-untyped-def]
    """1 for each state that leads to a final one."""
    n = final.shape[0]
    into = np.zeros(n + 1, np.int64)
    for e in range(edge_start[n]):
        into[edges[e] + 1] += 1
    for i in range(n):
        into[i + 1] += into[i]
    source = np.zeros(edge_start[n], np.int32)
    at = into[:n].copy()
    for s in range(n):
        for e in range(edge_start[s], edge_start[s + 1]):
            source[at[edges[e]]] = s
            at[edges[e]] += 1
    hopeful = final.copy()
    todo = np.zeros(n, np.int32)
    left = 0
    for s in range(n):
        if final[s]:
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
    return hopeful
