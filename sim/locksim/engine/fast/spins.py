"""Idle spins: a core that only waits for a line to change leaves the tree, and is caught up later.

A loop of loads that hit, pauses and work of constant length changes nothing but counters
(:mod:`locksim.compiler.spin` finds them). After one such iteration the core is *parked*: its path
of an iteration is known, with times and lines. When another CPU takes away one of those lines it
returns at its place inside an iteration, with everything counted that it would have done.

CPUs of a core that share its caches are close: a write of one is seen by the others without a
transaction, and their uses of the caches mix. So a parked CPU also returns before another one of
its core writes to its lines, requests one of them, or uses a set in which one of them lies.
"""

from __future__ import annotations

import numpy as np

from locksim.compiler.bytecode import LOAD, PAUSE
from locksim.engine.fast.capacity import at_hand, leads_set, same_set, use
from locksim.engine.fast.contention import holder_of
from locksim.engine.fast.state import *
from locksim.lang.words import index, plus, times


def begin(core, c, pc, t, jump):  # type: ignore[no-untyped-def]
    """An iteration begins at the loop's instruction before ``pc``; ``jump``: it may be parked."""
    core[c, C_SPIN_PC] = pc
    core[c, C_SPIN_TIME] = t
    core[c, C_SPIN_CLEAN] = jump
    core[c, C_PATH] = 0


def add_step(state, c, pc, t, wanted):  # type: ignore[no-untyped-def]
    """Add an operation to the path of a core's iteration: a hit of a line, or of none (-1)."""
    core, path = state.core, state.path
    if core[c, C_SPIN_CLEAN]:
        j = core[c, C_PATH]
        if j == PATH_MAX:
            core[c, C_SPIN_CLEAN] = 0
        else:
            path[c, j, 0] = pc
            path[c, j, 1] = t - core[c, C_SPIN_TIME]
            path[c, j, 2] = wanted
            core[c, C_PATH] = j + 1


def parks(state, caches, contention, c, pc, t):  # type: ignore[no-untyped-def]
    """Park a core if its whole last iteration hit, and every line that it read is still here."""
    core, path, holder = state.core, state.path, holder_of(contention, c)
    n = core[c, C_PATH]
    if t >= timer_of(core, c):
        return False
    if core[c, C_SPIN_PC] != pc or core[c, C_SPIN_CLEAN] != 1 or core[c, C_SB_LEN] or n == 0:
        return False
    for j in range(n):
        x = path[c, j, 2]
        if x >= 0:
            if state.line[x, L_OWNER] != holder and not (
                (state.sharers[x, holder >> 6] >> index(holder & 63)) & index(1)
            ):
                return False
            if caches is not None:
                if not at_hand(caches, holder, x):
                    return False
                if contention is not None and _mixes(state, caches, contention, c, x):
                    return False
    core[c, C_PERIOD] = t - core[c, C_SPIN_TIME]
    core[c, C_SPIN_TIME] = t
    core[c, C_PARKED] = 1
    return True


def _mixes(state, caches, contention, c, x):  # type: ignore[no-untyped-def]
    """Whether a parked CPU that shares the caches of CPU c uses another line of line x's set."""
    other = contention.sibling[c]
    while other != c:
        if state.core[other, C_PARKED] and contention.holder[other] == contention.holder[c]:
            for j in range(state.core[other, C_PATH]):
                y = state.path[other, j, 2]
                if y >= 0 and y != x and same_set(caches, x, y):
                    return True
        other = contention.sibling[other]
    return False


def timer_of(core, c):  # type: ignore[no-untyped-def]
    """From when a CPU's timer takes it from the thread that it runs: never, if that is its own."""
    return core[c, C_TIMER] if core[c, C_THREAD] >= core.shape[0] else NEVER


def returns_at(state, c):  # type: ignore[no-untyped-def]
    """The key of a core without an event: where it spins, of the operation that its timer meets."""
    core, path, at = state.core, state.path, timer_of(state.core, c)
    if not core[c, C_PARKED] or at == NEVER:
        return NEVER
    begun = core[c, C_SPIN_TIME]
    begun += (at - begun) // core[c, C_PERIOD] * core[c, C_PERIOD]
    issued = begun
    for j in range(core[c, C_PATH]):
        if begun + path[c, j, 1] <= at:
            issued = begun + path[c, j, 1]
    return (issued << AGENT_BITS) | (2 * c)


def disturb(state, caches, contention, c, t, first, last):  # type: ignore[no-untyped-def]
    """Lines from ``first`` to ``last`` change at t: a core parked on one of them returns."""
    if state.core[c, C_PARKED]:
        for j in range(state.core[c, C_PATH]):
            if first <= state.path[c, j, 2] <= last:
                unpark(state, caches, contention, c, t, state.control[R_LATEST] & AGENT_MASK)
                break


def disturb_siblings(state, caches, contention, c, t, wanted, changes):  # type: ignore[no-untyped-def]
    """CPU c uses a line at t, or ``changes`` it: CPUs parked in the same caches return first.

    They stay only if the order in which the caches were used is the same with their next
    iterations as without.
    """
    holder = contention.holder[c]
    leads = caches is None or leads_set(caches, holder, wanted)
    x = contention.sibling[c]
    while x != c:
        if contention.holder[x] == holder and not state.core[x, C_PARKED]:
            if changes:
                # The value that its iteration has read may be old.
                state.core[x, C_SPIN_CLEAN] = 0
        elif contention.holder[x] == holder:
            returns = False
            for j in range(state.core[x, C_PATH]):
                y = state.path[x, j, 2]
                if y == wanted:
                    returns = returns or changes or not leads
                elif caches is not None and y >= 0:
                    returns = returns or same_set(caches, y, wanted)
            if returns:
                unpark(state, caches, contention, x, t, state.control[R_LATEST] & AGENT_MASK)
        x = contention.sibling[x]


def unpark(state, caches, contention, c, s, a):  # type: ignore[no-untyped-def]
    """Advance a spinning core to event (s, a), with all of its events up to that key.

    ``a`` is the highest agent that has had an event at ``s``. It may differ from the agent whose
    event takes the line away: that event may have been made at ``s`` for ``s``, after events of
    agents with higher numbers.
    """
    core, path, count, code = state.core, state.path, state.count, state.code
    start, period, n = core[c, C_SPIN_TIME], core[c, C_PERIOD], core[c, C_PATH]
    me, holder = 2 * c, holder_of(contention, c)
    rounds, partial = _progress(core, path, c, s, a)
    for j in range(n):
        often = rounds + (1 if j < partial else 0)
        pc = path[c, j, 0]
        op = code[pc, 0]
        if op == LOAD:
            count[c, N_LOADS] += often
            count[c, N_HITS] += often
        elif op == PAUSE:
            count[c, N_PAUSES] += often
            state.thread[core[c, C_THREAD], U_STOPS] += often
        else:
            each = max(1, state.registers[core[c, C_THREAD], code[pc, 4]])
            count[c, N_COMPUTE_PS] = plus(count[c, N_COMPUTE_PS], times(often, each))
    if caches is not None:
        # One more iteration leaves the order of use of all iterations; then the unfinished one.
        for j in range(n if rounds else 0):
            if path[c, j, 2] >= 0:
                use(caches, holder, path[c, j, 2])
        for j in range(partial):
            if path[c, j, 2] >= 0:
                use(caches, holder, path[c, j, 2])
    if contention is not None:
        contention.pauses[c] = code[path[c, partial - 1 if partial else n - 1, 0], 0] == PAUSE
    if partial == n:
        rounds += 1
        partial = 0
    core[c, C_PARKED] = 0
    core[c, C_SPIN_CLEAN] = 0
    core[c, C_PC] = path[c, partial, 0]
    state.agent[me, A_DOES] = REISSUE
    schedule(state.tree, me, ((start + rounds * period + path[c, partial, 1]) << AGENT_BITS) | me)


def _progress(core, path, c, s, a):  # type: ignore[no-untyped-def]
    """What a parked core has done up to event (s, a): whole iterations, operations of the next."""
    start, period, n = core[c, C_SPIN_TIME], core[c, C_PERIOD], core[c, C_PATH]
    me = 2 * c
    rounds = (s - start) // period  # finished iterations, or one more (corrected below)
    if rounds * period == s - start and me > a:
        rounds -= 1
    if rounds < 0:
        return np.int64(0), np.int64(0)
    partial = np.int64(0)
    begun = start + rounds * period
    while partial < n:
        at = begun + path[c, partial, 1]
        if at > s or (at == s and me > a):
            break
        partial += 1
    return rounds, partial


def pauses(state, contention, c, t):  # type: ignore[no-untyped-def]
    """Whether the last operation that a CPU has issued is a pause, at the present event."""
    if not state.core[c, C_PARKED]:
        return contention.pauses[c] != 0
    a = state.control[R_LATEST] & AGENT_MASK
    _, partial = _progress(state.core, state.path, c, t, a)
    last = partial - 1 if partial else state.core[c, C_PATH] - 1
    return state.code[state.path[c, last, 0], 0] == PAUSE


def unpark_all(state, caches, contention, s):  # type: ignore[no-untyped-def]
    """Advance all spinning cores to time ``s``, where a run stops, so that results count it."""
    for c in range(state.core.shape[0]):
        if state.core[c, C_PARKED]:
            unpark(state, caches, contention, c, s, -1)
