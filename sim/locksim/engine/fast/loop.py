"""The fast engine's loop: PHYSICS.md for numba, over the rows of numbers of linked bytecode.

It is plain Python, and a short run runs it so, on views of the same arrays
(:mod:`locksim.engine.fast.plain`). What may leave 64 bits is therefore computed by the functions of
:mod:`locksim.lang.words`, and no row is sliced.

An event belongs to an agent: a core, whose turn lasts until its thread performs an operation that
takes time, or a core's store buffer. Registers are :mod:`.registers`, operations :mod:`.accesses`
and :mod:`.operations`, idle spins :mod:`.spins`; a request for a line waits in :mod:`.requests` and
is served in :mod:`.transactions`. All of them are compiled into one function
(:mod:`.compiled`), since a call would pass some thirty arrays.

``caches`` holds the CPUs' cache contents (:mod:`locksim.engine.fast.capacity`), or is None if they
hold everything. ``contention`` holds the mechanisms of :mod:`locksim.engine.fast.contention`, or is
None if the machine has none of them. What stands under ``if caches is not None`` or ``if contention
is not None`` is then not compiled.
"""

from __future__ import annotations

from locksim.compiler.bytecode import FETCH_XOR
from locksim.engine.fast.accesses import access, drain
from locksim.engine.fast.operations import interrupt, perform
from locksim.engine.fast.registers import advance_to_operation
from locksim.engine.fast.requests import chosen
from locksim.engine.fast.spins import returns_at, timer_of, unpark
from locksim.engine.fast.state import *
from locksim.engine.fast.transactions import serve


def advance(state, caches, contention, limit, budget):  # type: ignore[no-untyped-def]
    """Process events with keys below ``limit``; returns a status. At most ``budget`` of them."""
    tree, agent, control = state.tree, state.agent, state.control
    rows_end = state.trace.shape[0] - state.code.shape[0] - 16
    events = 0
    status = MORE
    t = control[R_NOW]
    while True:
        key = tree[1]
        if key >= limit:
            status = STUCK if key == NEVER else TIME_UP
            break
        if events >= budget or (state.cost[K_TRACING] and control[R_ROWS] >= rows_end):
            break
        events += 1
        t = key >> AGENT_BITS
        control[R_LATEST] = max(control[R_LATEST], key)
        a = key & AGENT_MASK
        does = agent[a, A_DOES]
        if does == SERVE:
            a = chosen(state, caches, contention, a, t)
            outcome = SERVED_NOW if a >= 0 else SCHEDULED
        elif a & 1:
            outcome = drain(state, caches, contention, a >> 1, t, does == COMPLETE)
        else:
            outcome = turn(state, caches, contention, a >> 1, t, does)
        if outcome == SERVED_NOW:
            serve(state, caches, contention, a, t)
        elif outcome == FAILED:
            status = FAULTED
            break
    control[R_EVENTS] += events
    control[R_NOW] = t
    return status


def turn(state, caches, contention, c, t, does):  # type: ignore[no-untyped-def]
    """A core's event: it resumes, issues an operation or completes one, until that costs time."""
    core, tree, agent = state.core, state.tree, state.agent
    if core[c, C_PARKED]:
        # Its timer meets the operation that it issues now.
        unpark(state, caches, contention, c, t, -1)
        return SCHEDULED
    pc, u = core[c, C_PC], core[c, C_THREAD]
    while True:
        if does == RESUME:
            pc, outcome = advance_to_operation(state, caches, contention, c, u, pc, t)
            if outcome != READY:
                break
        if t >= timer_of(core, c) and does != COMPLETE:
            outcome, after = interrupt(state, contention, c, u, pc, t)
        elif state.code[pc, 0] <= FETCH_XOR:
            outcome, after = access(state, caches, contention, c, u, pc, t, does == COMPLETE)
        else:
            outcome, after = perform(state, caches, contention, c, u, pc, t)
        if outcome == BLOCKED:
            pc += 1
            break
        if outcome != PERFORMED:
            break
        pc += 1
        if core[c, C_THREAD] != u:
            u = core[c, C_THREAD]
            pc = state.thread[u, U_PC]
        does = RESUME
        if after > 0:
            agent[2 * c, A_DOES] = RESUME
            schedule(tree, 2 * c, ((t + after) << AGENT_BITS) | (2 * c))
            break
    core[c, C_PC] = pc
    if outcome == SLEEPS or outcome == BLOCKED:
        schedule(tree, 2 * c, returns_at(state, c))
    return outcome
