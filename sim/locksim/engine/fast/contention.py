"""What load does beyond a first-come queue at a line: PHYSICS.md's optional mechanisms, in numba.

The loop gets ``None`` instead of a :class:`Contention` for a machine that names none of them, and
is compiled without them, as for a machine without caches (:mod:`locksim.engine.fast.capacity`).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from locksim.lang.randomness import ARBITRATIONS, draw
from locksim.machine import MachineTables

# The columns of the table of agents that select() reads and passed() writes.
A_NEXT, A_PASSED = 2, 6

FIFO, NEAR = 0, 1
S_ARBITRATION, S_PASSES, S_SEED = range(3)
D_ARBITRATIONS = 0


class Contention(NamedTuple):
    """The mechanisms of a machine, and what they remember.

    Arguments:
        setting: int64[S_...], what the profile says.
        drawn: int64[D_...], how many numbers each stream has given.
        distance: int8[CPUs, CPUs], distance classes.
    """

    setting: npt.NDArray[np.int64]
    drawn: npt.NDArray[np.int64]
    distance: npt.NDArray[np.int8]


def contention_of(t: MachineTables, seed: int) -> Contention | None:
    """The mechanisms of a machine before its first event; None if it has none of them."""
    if not t.arbitration:
        return None
    return Contention(
        setting=np.array([t.arbitration, t.arbitration_passes, seed], np.int64),
        drawn=np.zeros(1, np.int64),
        distance=np.asarray(t.distance, np.int8),
    )


def select(contention, agent, head, filler):  # type: ignore[no-untyped-def]
    """The agent whose request a line serves next, of the queue that begins with ``head``."""
    rule = contention.setting[S_ARBITRATION]
    if rule == FIFO or agent[head, A_NEXT] < 0:
        return head
    if rule == NEAR:
        if agent[head, A_PASSED] >= contention.setting[S_PASSES]:
            return head
        nearest = head
        a = agent[head, A_NEXT]
        while a >= 0:
            if contention.distance[filler, a >> 1] < contention.distance[filler, nearest >> 1]:
                nearest = a
            a = agent[a, A_NEXT]
        return nearest
    n = 0
    a = head
    while a >= 0:
        n += 1
        a = agent[a, A_NEXT]
    j = contention.drawn[D_ARBITRATIONS]
    contention.drawn[D_ARBITRATIONS] = j + 1
    a = head
    for _ in range(draw(contention.setting[S_SEED], ARBITRATIONS, j) % n):
        a = agent[a, A_NEXT]
    return a


def overtake(agent, head, a):  # type: ignore[no-untyped-def]
    """Take a request out of a queue whose head it is not; the one that stood before it."""
    before = head
    agent[before, A_PASSED] += 1
    while agent[before, A_NEXT] != a:
        before = agent[before, A_NEXT]
        agent[before, A_PASSED] += 1
    agent[before, A_NEXT] = agent[a, A_NEXT]
    return before
