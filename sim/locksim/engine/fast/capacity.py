"""Caches of the fast engine: PHYSICS.md, "What a CPU can hold", in numba.

A set is a row of line numbers, the last used one first, empty ways (-1) at its end. Using a line
moves those before it back by one, which is also how one falls out.

The loop gets ``None`` instead of a :class:`Held` for a machine without caches. Numba compiles the
loop once for each of the two types and leaves out what the type rules out, so that a machine
without caches pays nothing.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from locksim.engine.counters import CPU_COUNTERS
from locksim.jit import compilable
from locksim.machine import MachineTables

N_BEYOND_L1 = CPU_COUNTERS.index("beyond_l1")
EMPTY = -1
HIT = -2


_compiled: Any = partial(compilable, _nrt=False)
"""Nothing here allocates. Otherwise every call would count references to six arrays, with atomic
instructions: half of the time of an event."""


class Held(NamedTuple):
    """What the CPUs hold.

    Arguments:
        place: int64[lines], each line's address.
        private, l1: int32[CPUs, sets, ways] of line numbers; no sets where there is no L1.
        modified: int8[lines], 1 where the owner's copy differs from memory.
        gone: uint64[lines, words], CPUs that gave the line up and would still hold it in a cache
            without end.
        beyond_l1_ps: int64[1], the time by which a hit that L1 does not have takes longer.
    """

    place: npt.NDArray[np.int64]
    private: npt.NDArray[np.int32]
    l1: npt.NDArray[np.int32]
    modified: npt.NDArray[np.int8]
    gone: npt.NDArray[np.uint64]
    beyond_l1_ps: npt.NDArray[np.int64]


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
        beyond_l1_ps=np.array([t.private_hit_ps - t.l1_hit_ps], np.int64),
    )


@_compiled
def use(caches, c, x):  # type: ignore[no-untyped-def]
    """A CPU uses line x: the line that it has to give up for it, EMPTY or HIT."""
    victim = _use(caches.private, c, caches.place[x], x)
    if caches.l1.shape[1]:
        if victim >= 0:
            _drop(caches.l1, c, caches.place[victim], victim)
        _use(caches.l1, c, caches.place[x], x)
    return victim


@_compiled
def hit(caches, c, x, count):  # type: ignore[no-untyped-def]
    """A CPU uses line x, which it holds: whether L1 had it.

    Lines that share a private set share an L1 set, if there are no more of those. So what is first
    in L1 is first in both, and stays it.
    """
    n = caches.l1.shape[1]
    if n and n <= caches.private.shape[1] and caches.l1[c, caches.place[x] & (n - 1), 0] == x:
        return True
    _use(caches.private, c, caches.place[x], x)
    if caches.l1.shape[1] and _use(caches.l1, c, caches.place[x], x) != HIT:
        count[c, N_BEYOND_L1] += 1
        return False
    return True


@_compiled
def at_hand(caches, c, x):  # type: ignore[no-untyped-def]
    """Whether a CPU finds line x, which it holds, in L1."""
    if not caches.l1.shape[1]:
        return True
    s = caches.place[x] & (caches.l1.shape[1] - 1)
    for way in range(caches.l1.shape[2]):  # noqa: SIM110 - numba has no any() of a generator
        if caches.l1[c, s, way] == x:
            return True
    return False


@_compiled
def lose(caches, c, x):  # type: ignore[no-untyped-def]
    """Line x is taken away from a CPU."""
    _drop(caches.private, c, caches.place[x], x)
    if caches.l1.shape[1]:
        _drop(caches.l1, c, caches.place[x], x)


@_compiled
def had(caches, c, x, exclusive):  # type: ignore[no-untyped-def]
    """Whether a transaction is for a line that the CPU gave up itself; now it has it again."""
    bit = np.uint64(1) << np.uint64(c & 63)
    found = caches.gone[x, c >> 6] & bit != 0
    if exclusive:
        caches.gone[x, :] = 0
    elif found:
        caches.gone[x, c >> 6] ^= bit
    return found


@_compiled
def _use(ways, c, place, x):  # type: ignore[no-untyped-def]
    """Make line x the first of its set; the line that falls out, EMPTY, or HIT if x was there."""
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


@_compiled
def _drop(ways, c, place, x):  # type: ignore[no-untyped-def]
    """Close the gap that line x leaves in its set, if it is there."""
    s = place & (ways.shape[1] - 1)
    last = ways.shape[2] - 1
    found = False
    for way in range(last + 1):
        found = found or ways[c, s, way] == x
        if found:
            ways[c, s, way] = ways[c, s, way + 1] if way < last else EMPTY
