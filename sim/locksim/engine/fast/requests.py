"""Queues at lines: who asks for a line, and whose request it serves next (PHYSICS.md, "Lines")."""

from __future__ import annotations

from locksim.engine.fast.contention import overtake, select
from locksim.engine.fast.state import *


def free_from(line, wanted, right):  # type: ignore[no-untyped-def]
    """The time from which a line can serve a request for a right to it."""
    return line[wanted, L_FREE] if right == SHARED else line[wanted, L_QUIET]


def ask(state, contention, a, wanted, right, t):  # type: ignore[no-untyped-def]
    """An agent requests a line: it is served now, or stands in the line's queue."""
    agent, line, tree = state.agent, state.line, state.tree
    agent[a, A_LINE] = wanted
    agent[a, A_SINCE] = t
    agent[a, A_DOES] = SERVE
    agent[a, A_EXCLUSIVE] = right
    if contention is not None:
        agent[a, A_PASSED] = 0
    free = free_from(line, wanted, right)
    if line[wanted, L_HEAD] < 0 and free <= t:
        return SERVED_NOW
    agent[a, A_NEXT] = -1
    if line[wanted, L_HEAD] < 0:
        line[wanted, L_HEAD] = a
        schedule(tree, a, (free << AGENT_BITS) | a)
    else:
        agent[line[wanted, L_TAIL], A_NEXT] = a
        schedule(tree, a, NEVER)
    line[wanted, L_TAIL] = a
    return SCHEDULED


def chosen(state, caches, contention, a, t):  # type: ignore[no-untyped-def]
    """The agent that leaves the queue with head ``a`` to be served; -1 if the line is not free."""
    agent, line = state.agent, state.line
    wanted = agent[a, A_LINE]
    selected = a
    if contention is not None:
        selected = select(state, contention, a, line[wanted, L_FILLER])
    if caches is not None or contention is not None:
        # Not the head is selected, or the line has been evicted and its write-back runs.
        free = free_from(line, wanted, agent[selected, A_EXCLUSIVE])
        if free > t:
            schedule(state.tree, a, (free << AGENT_BITS) | a)
            return -1
    if selected == a:
        line[wanted, L_HEAD] = agent[a, A_NEXT]
        if agent[a, A_NEXT] < 0:
            line[wanted, L_TAIL] = -1
    elif contention is not None:
        before = overtake(agent, a, selected)
        if agent[before, A_NEXT] < 0:
            line[wanted, L_TAIL] = before
    return selected


def call_next(state, wanted, t):  # type: ignore[no-untyped-def]
    """Give the head of a line's queue its event, after the line has served a request at t."""
    waiter = state.line[wanted, L_HEAD]
    if waiter >= 0:
        free = free_from(state.line, wanted, state.agent[waiter, A_EXCLUSIVE])
        schedule(state.tree, waiter, (max(free, t) << AGENT_BITS) | waiter)
