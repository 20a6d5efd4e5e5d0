"""One schedule of very many, compiled: a random one, or one by random priorities.

A schedule is a list of steps (thread * 64 + action). Whoever can not act, or would change nothing,
is *idle* until somebody else changes something; when all are idle for good, the threads are stuck.

*Random*: whoever is not idle may be next, with equal chance; now and then a thread is delayed for a
while, so that others get far ahead.

*By priorities* (PCT; Burckhardt, Kothari, Musuvathi and Nagarakatte, ASPLOS 2010): the thread of
the highest priority runs. At d - 1 steps, chosen at random beforehand, the running thread falls
below all others. With n threads and k steps, a bug that takes d ordering constraints is met with a
probability of at least 1 / (n k^(d-1)). A thread that runs very long without an end falls too,
since it may wait in a way that changes memory.

Store buffers take part like threads. Not cached by itself: see
:mod:`locksim.checker.search.compiled`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from locksim.checker.models import model as m
from locksim.checker.models.outcome import DISABLED, DONE, FULL_BUFFER
from locksim.checker.search.loop import STUCK, WRONG_END
from locksim.checker.search.step import FLUSH, MAX_CHOICES, perform
from locksim.compiler import bytecode as b

CUT = 24
"""What comes of a schedule that did not end within its length."""

_PATIENCE = 1000
"""Steps in a row after which a thread loses its priority."""
_DELAY_ONE_IN, _LONGEST_DELAY = 32, 64
"""How often a thread is delayed in a random schedule, and for how many steps at most."""


@njit
def _draw(state, bound):  # type: ignore[no-untyped-def]
    """A number below ``bound``: splitmix64 (Steele, Lea and Flood, OOPSLA 2014)."""
    state[0] += np.uint64(0x9E3779B97F4A7C15)
    z = state[0]
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.int64((z ^ (z >> np.uint64(31))) >> np.uint64(1)) % bound


@njit
def _acts(t, rows, agent):  # type: ignore[no-untyped-def]
    """Whether an agent has anything left to do: a thread its program, a buffer its stores."""
    n = t.size[m.N_THREADS]
    if agent >= n:
        return rows[agent - n, m.BUFFERED] > 0
    return t.code[rows[agent, m.PC], 0] != b.EXIT


@njit
def _at_the_end(t, rows, shared, expect):  # type: ignore[no-untyped-def]
    """What a state is in which nobody acts any more."""
    for agent in range(2 * t.size[m.N_THREADS]):
        if _acts(t, rows, agent):
            return STUCK
    for j in range(expect.shape[0]):
        if shared[expect[j, 0]] != expect[j, 1]:
            return WRONG_END
    return DONE


@njit
def _act(t, row, shared, regs, op, wanted, before, was, note):  # type: ignore[no-untyped-def]
    """Let a thread act; of the choices it has, one not above ``wanted``.

    Gives status, action, and whether anything changed.
    """
    before[:] = row
    was[:] = shared
    many = op == b.RANDOM or (t.size[m.MODEL] == m.C11 and b.LOAD <= op <= b.FETCH_XOR)
    action = wanted if many else 0
    status = perform(t, row, shared, regs, action, note)
    while status == DISABLED and action > 0:
        action //= 2
        status = perform(t, row, shared, regs, action, note)
    if status != DONE:
        return status, action, False
    for i in range(row.shape[0]):
        if row[i] != before[i]:
            return status, action, True
    for i in range(shared.shape[0]):
        if shared[i] != was[i]:
            return status, action, True
    return status, action, False


@njit
def wander(t, threads, first, regs, expect, seed, points, trail, note):  # type: ignore[no-untyped-def]
    """Run one schedule.

    Arguments:
        t: the model's Tables. threads: int64[n_threads, columns], first: int64[columns], the rows
            of the threads and the shared row, each thread at its first operation.
        regs: scratch space that holds the constants. expect: int64[n, 2], address and value.
        seed: what the schedule follows from.
        points: int64[d - 1], steps at which the running thread falls; a single -1: a random
            schedule.
        trail: int64[longest], where to put the steps. note: as for ``perform``.

    Returns:
        What came of it, and the number of steps.
    """
    n = t.size[m.N_THREADS]
    rows, shared = threads.copy(), first.copy()
    before, was = np.zeros_like(rows[0]), np.zeros_like(shared)
    random = np.array([seed], np.uint64)
    by_chance = points.shape[0] == 1 and points[0] < 0
    priority, delayed = np.zeros(2 * n, np.int64), np.zeros(2 * n, np.int64)
    idle = np.zeros(2 * n, np.bool_)
    for agent in range(2 * n):
        priority[agent] = _draw(random, 1 << 30) + 1
    lowest, running, turns, length = 0, -1, 0, 0
    while length < trail.shape[0]:
        chosen, count, most = -1, 0, np.int64(-(1 << 62))
        for waits in range(2):  # who is delayed, only if nobody else can act
            for agent in range(2 * n):
                if idle[agent] or not _acts(t, rows, agent):
                    continue
                if by_chance and waits == 0 and delayed[agent] > length:
                    continue
                count += 1
                if by_chance:
                    if _draw(random, count) == 0:
                        chosen = agent
                elif priority[agent] > most:
                    chosen, most = agent, priority[agent]
            if chosen >= 0:
                break
        if chosen < 0:
            return _at_the_end(t, rows, shared, expect), length
        turns = turns + 1 if chosen == running else 0
        running = chosen
        if chosen >= n:
            status, action, changed = (
                perform(t, rows[chosen - n], shared, regs, FLUSH, note),
                FLUSH,
                True,
            )
        else:
            op = t.code[rows[chosen, m.PC], 0]
            wanted = _draw(random, MAX_CHOICES)
            if op != b.RANDOM and _draw(random, 4) > 0:
                wanted = 0
            status, action, changed = _act(
                t, rows[chosen], shared, regs, op, wanted, before, was, note
            )
        if status in (DISABLED, FULL_BUFFER):
            idle[chosen] = True
            continue
        if status == DONE and not changed:
            idle[chosen] = action == 0
            continue
        trail[length] = (chosen % n) * 64 + action
        length += 1
        if status != DONE:
            return status, length
        idle[:] = False
        if by_chance and _draw(random, _DELAY_ONE_IN) == 0:
            delayed[chosen] = length + _draw(random, _LONGEST_DELAY)
        falls = turns > _PATIENCE
        for point in points:
            falls |= point == length
        if falls:
            lowest -= 1
            priority[chosen] = lowest
    return CUT, length


@njit
def follow(t, threads, first, regs, expect, trail, note):  # type: ignore[no-untyped-def]
    """Do the steps of a list, but those that can not be done; what came of it, and of how many.

    Arguments are those of ``wander``.
    """
    n = t.size[m.N_THREADS]
    rows, shared = threads.copy(), first.copy()
    before, was = np.zeros_like(rows[0]), np.zeros_like(shared)
    for k in range(trail.shape[0]):
        thread, action = trail[k] // 64, trail[k] % 64
        status = perform(t, rows[thread], shared, regs, action, note)
        if status != DONE and status != DISABLED and status != FULL_BUFFER:
            return status, k + 1
    for agent in range(2 * n):
        if not _acts(t, rows, agent):
            continue
        if agent >= n:
            return CUT, trail.shape[0]
        op = t.code[rows[agent, m.PC], 0]
        status, _, changed = _act(t, rows[agent], shared, regs, op, 0, before, was, note)
        if changed or (status != DONE and status != DISABLED and status != FULL_BUFFER):
            return CUT, trail.shape[0]
    return _at_the_end(t, rows, shared, expect), trail.shape[0]
