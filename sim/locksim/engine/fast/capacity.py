"""Caches of the fast engine: PHYSICS.md, "What a CPU can hold", in numba.

A set is a row of line numbers, the last used one first, with empty ways (-1) at its end. Using a
line moves those before it back by one, which may evict the last one.

The loop gets ``None`` instead of a :class:`Held` for a machine without caches. Numba compiles the
loop once for each of the two types and removes the branches that a type excludes, so a machine
without caches has no extra cost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from locksim.engine.counters import CPU_COUNTERS
from locksim.lang.words import index
from locksim.machine.tables import MachineTables

N_BEYOND_L1 = CPU_COUNTERS.index("beyond_l1")
EMPTY = -1
HIT = -2


class Held(NamedTuple):
    """The lines that the CPUs hold.

    Arguments:
        place: int64[lines], each line's address.
        private, l1: int32[CPUs, sets, ways] of line numbers; no sets without an L1.
        modified: int8[lines], 1 if the owner's copy differs from memory.
        gone: uint64[lines, words], CPUs that evicted the line and would still hold it in an
            unlimited cache.
        shared: int32[nodes, sets, ways] of line numbers; no sets without a shared cache.
        kept: uint64[lines, words], the nodes whose shared cache has the line.
        seat: int64[nodes], a CPU of each node, -1 if none takes part.
    """

    place: npt.NDArray[np.int64]
    private: npt.NDArray[np.int32]
    l1: npt.NDArray[np.int32]
    modified: npt.NDArray[np.int8]
    gone: npt.NDArray[np.uint64]
    shared: npt.NDArray[np.int32]
    kept: npt.NDArray[np.uint64]
    seat: npt.NDArray[np.int64]


def held_by(t: MachineTables, place: npt.NDArray[np.int64]) -> Held | None:
    """Empty caches, or None for a machine whose CPUs keep every line."""
    if not t.private_sets:
        return None
    words = -(-t.n_cpus // 64)
    return Held(
        place=place,
        private=np.full((t.n_cpus, t.private_sets, t.private_ways), EMPTY, np.int32),
        l1=np.full((t.n_cpus, t.l1_sets, t.l1_ways), EMPTY, np.int32),
        modified=np.zeros(len(place), np.int8),
        gone=np.zeros((len(place), words), np.uint64),
        shared=np.full((t.n_nodes, t.shared_sets, t.shared_ways), EMPTY, np.int32),
        kept=np.zeros((len(place), -(-t.n_nodes // 64)), np.uint64),
        seat=np.array([_seat(t, node) for node in range(t.n_nodes)], np.int64),
    )


def _seat(t: MachineTables, node: int) -> int:
    """The first CPU of a node, -1 if none takes part."""
    return next((cpu for cpu in range(t.n_cpus) if t.node_of[cpu] == node), -1)


def use(caches, c, x):  # type: ignore[no-untyped-def]
    """A CPU uses line x; the line that it evicts for it, EMPTY or HIT."""
    victim = _use(caches.private, c, caches.place[x], x)
    if caches.l1.shape[1]:
        if victim >= 0:
            _drop(caches.l1, c, caches.place[victim], victim)
        _use(caches.l1, c, caches.place[x], x)
    return victim


def hit(caches, c, x, cpu, count):  # type: ignore[no-untyped-def]
    """CPU c's caches use line x, which they hold; whether L1 had it. ``cpu`` counts it.

    If there are no more L1 sets than private sets, lines that share a private set share an L1 set.
    So the first line in L1 is the first in both, and stays it.
    """
    n = caches.l1.shape[1]
    if n and n <= caches.private.shape[1] and caches.l1[c, caches.place[x] & (n - 1), 0] == x:
        return True
    _use(caches.private, c, caches.place[x], x)
    if caches.l1.shape[1] and _use(caches.l1, c, caches.place[x], x) != HIT:
        count[cpu, N_BEYOND_L1] += 1
        return False
    return True


def at_hand(caches, c, x):  # type: ignore[no-untyped-def]
    """Whether a CPU finds line x, which it holds, in L1."""
    if not caches.l1.shape[1]:
        return True
    s = caches.place[x] & (caches.l1.shape[1] - 1)
    for way in range(caches.l1.shape[2]):  # noqa: SIM110 - numba has no any() of a generator
        if caches.l1[c, s, way] == x:
            return True
    return False


def leads_set(caches, c, x):  # type: ignore[no-untyped-def]
    """Whether line x is the last used one of its sets in CPU c's caches."""
    place = caches.place[x]
    if caches.private[c, place & (caches.private.shape[1] - 1), 0] != x:
        return False
    n = caches.l1.shape[1]
    return n == 0 or caches.l1[c, place & (n - 1), 0] == x


def same_set(caches, x, y):  # type: ignore[no-untyped-def]
    """Whether two lines share a set of a private cache or of an L1."""
    apart = caches.place[x] ^ caches.place[y]
    n = caches.l1.shape[1]
    return apart & (caches.private.shape[1] - 1) == 0 or (n != 0 and apart & (n - 1) == 0)


def lose(caches, c, x):  # type: ignore[no-untyped-def]
    """A CPU loses line x."""
    _drop(caches.private, c, caches.place[x], x)
    if caches.l1.shape[1]:
        _drop(caches.l1, c, caches.place[x], x)


def had(caches, c, x, exclusive):  # type: ignore[no-untyped-def]
    """Whether a transfer is for a line that the CPU itself evicted; it now holds it again."""
    bit = index(1) << index(c & 63)
    found = caches.gone[x, c >> 6] & bit != 0
    if exclusive:
        for word in range(caches.gone.shape[1]):
            caches.gone[x, word] = 0
    elif found:
        caches.gone[x, c >> 6] ^= bit
    return found


def keeps(caches, node, x):  # type: ignore[no-untyped-def]
    """Whether a node's shared cache has line x."""
    return (caches.kept[x, node >> 6] >> index(node & 63)) & index(1) != 0


def nearest_keeper(caches, home_distance, c, x):  # type: ignore[no-untyped-def]
    """The node nearest to CPU c that keeps line x, the first of equally near ones; -1 if none."""
    found = -1
    if caches.shared.shape[1]:
        for node in range(caches.shared.shape[0]):
            if keeps(caches, node, x) and (
                found < 0 or home_distance[node, c] < home_distance[found, c]
            ):
                found = node
    return found


def kept_elsewhere(caches, node, x):  # type: ignore[no-untyped-def]
    """Whether the shared cache of another node has line x."""
    if caches.shared.shape[1]:
        for other in range(caches.shared.shape[0]):
            if other != node and keeps(caches, other, x):
                return True
    return False


def recall(caches, home_distance, origin, but, x):  # type: ignore[no-untyped-def]
    """Take line x out of all shared caches but that of a node.

    Returns the nearest and the farthest distance class of those that had it, from node ``origin``;
    both are 0 if none had it.
    """
    nearest, farthest = 0, 0
    for node in range(caches.shared.shape[0]):
        if node != but and drop_shared(caches, node, x):
            d = np.int64(home_distance[origin, caches.seat[node]])
            nearest = d if farthest == 0 else min(nearest, d)
            farthest = max(farthest, d)
    return nearest, farthest


def use_shared(caches, node, x):  # type: ignore[no-untyped-def]
    """A node's shared cache uses line x; the line that it gives up for it, EMPTY or HIT."""
    victim = _use(caches.shared, node, caches.place[x], x)
    caches.kept[x, node >> 6] |= index(1) << index(node & 63)
    if victim >= 0:
        caches.kept[victim, node >> 6] ^= index(1) << index(node & 63)
    return victim


def drop_shared(caches, node, x):  # type: ignore[no-untyped-def]
    """A node's shared cache loses line x, if it has it; whether it had it."""
    if not caches.shared.shape[1] or not keeps(caches, node, x):
        return False
    _drop(caches.shared, node, caches.place[x], x)
    caches.kept[x, node >> 6] ^= index(1) << index(node & 63)
    return True


def _use(ways, c, place, x):  # type: ignore[no-untyped-def]
    """Make line x the first of its set; the evicted line, EMPTY, or HIT if x was there."""
    s = place & (ways.shape[1] - 1)
    moving = x
    for way in range(ways.shape[2]):
        other = np.int64(ways[c, s, way])
        ways[c, s, way] = moving
        if other == x:
            return HIT
        if other == EMPTY:
            return EMPTY
        moving = other
    return moving


def _drop(ways, c, place, x):  # type: ignore[no-untyped-def]
    """Remove line x from its set, if it is there."""
    s = place & (ways.shape[1] - 1)
    last = ways.shape[2] - 1
    found = False
    for way in range(last + 1):
        found = found or ways[c, s, way] == x
        if found:
            ways[c, s, way] = ways[c, s, way + 1] if way < last else EMPTY
