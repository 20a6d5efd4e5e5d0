"""Operations without a word of memory: time, sleep, threads, the heap."""

from __future__ import annotations

import numpy as np

from locksim.compiler.bytecode import ALLOC, BLOCK, COMPUTE, FENCE, PAUSE, SWITCH, TIMER, WAKE
from locksim.core.faults import Fault
from locksim.engine.fast.spins import add_step, disturb, pauses, timer_of
from locksim.engine.fast.state import *
from locksim.lang.words import plus

F_COMPUTE, F_FREE, F_WAKE, F_SWITCH = (
    int(f) for f in (Fault.COMPUTE, Fault.FREE, Fault.WAKE, Fault.SWITCH)
)
K_FENCE, K_PAUSE, K_ALLOC, K_FREE = columns("fence", "pause", "alloc", "free")
K_SWITCH, K_WAKE, K_ISSUE = columns("context_switch", "wake", "shared_issue_percent")


def perform(state, caches, contention, c, u, pc, t):  # type: ignore[no-untyped-def]
    """Perform an operation that needs no line.

    Returns what became of it, and the time to the thread's next event. A core that switches has
    another thread afterwards (``C_THREAD``).
    """
    core, count, cost = state.core, state.count, state.cost
    op = state.code[pc, 0]
    ahead = np.int64(0)
    if contention is not None:
        ahead = contention.ahead[c]
        contention.ahead[c] = 0
        contention.pauses[c] = op == PAUSE
    outcome, subject, value = PERFORMED, np.int64(0), np.int64(0)
    if op == PAUSE:
        what, after = np.int64(T_PAUSE), cost[K_PAUSE]
        count[c, N_PAUSES] += 1
        state.thread[u, U_STOPS] += 1
        add_step(state, c, pc, t, -1)
    elif op == COMPUTE:
        what, value = np.int64(T_COMPUTE), state.registers[u, state.code[pc, 4]]
        if state.thread[u, U_REST]:
            value = state.thread[u, U_REST]
        outcome, after = _compute(state, contention, c, u, pc, t, value, ahead)
    elif op == FENCE:
        core[c, C_SPIN_CLEAN] = 0
        what, after = np.int64(T_FENCE), cost[K_FENCE]
        if core[c, C_SB_LEN]:
            core[c, C_WAITS] = W_DRAIN
            return SLEEPS, after
        count[c, N_FENCES] += 1
    elif op == BLOCK:
        core[c, C_SPIN_CLEAN] = 0
        what, after = np.int64(T_BLOCK), cost[K_SWITCH]
        count[c, N_BLOCKS] += 1
        state.thread[u, U_STOPS] += 1
        if core[c, C_PERMIT]:
            core[c, C_PERMIT] = 0
        else:
            core[c, C_WAITS] = W_SLEEP
            outcome = BLOCKED
    elif op == WAKE:
        core[c, C_SPIN_CLEAN] = 0
        what, value = np.int64(T_WAKE), state.registers[u, state.code[pc, 4]]
        outcome, after = _wake(state, c, pc, t, value)
    elif op == SWITCH:
        core[c, C_SPIN_CLEAN] = 0
        what, value = np.int64(T_SWITCH), state.registers[u, state.code[pc, 4]]
        if value == u:
            return PERFORMED, np.int64(0)
        outcome, after = _switch(state, c, u, pc, t, value, pc + 1)
    elif op == TIMER:
        core[c, C_SPIN_CLEAN] = 0
        what, value = np.int64(T_TIMER), state.registers[u, state.code[pc, 4]]
        after = cost[K_STORE]
        core[c, C_TIMER] = value if 0 < value < MAX_TIME_PS else NEVER
    elif op == ALLOC:
        core[c, C_SPIN_CLEAN] = 0
        what, after = np.int64(T_ALLOC), cost[K_ALLOC]
        subject = _allocate(state, c, state.code[pc, 6])
        state.registers[u, state.code[pc, 1]] = subject
    else:
        core[c, C_SPIN_CLEAN] = 0
        what, after = np.int64(T_FREE), cost[K_FREE]
        subject = state.registers[u, state.code[pc, 4]]
        outcome = _free(state, caches, contention, c, pc, t, subject)
    if cost[K_TRACING] and (outcome == PERFORMED or outcome == BLOCKED or outcome == SCHEDULED):
        record(state.trace, state.control, t, 2 * c, what, subject, value, pc)
    return outcome, after


def interrupt(state, contention, c, u, pc, t):  # type: ignore[no-untyped-def]
    """Put a task aside before its operation: the CPU goes on with its own thread."""
    outcome, after = _switch(state, c, u, pc, t, np.int64(c), pc)
    if outcome == PERFORMED:
        state.core[c, C_TIMER] = NEVER
        state.core[c, C_SPIN_CLEAN] = 0
        if contention is not None:
            contention.ahead[c] = 0
            contention.pauses[c] = 0
        if state.cost[K_TRACING]:
            record(state.trace, state.control, t, 2 * c, T_SWITCH, 0, c, pc)
    return outcome, after


def _compute(state, contention, c, u, pc, t, given, ahead):  # type: ignore[no-untyped-def]
    """Private work of so many picoseconds, of which ``ahead`` hid behind the last miss.

    The CPU's timer may end it early: SCHEDULED, and the rest is the thread's.
    """
    if given < 0:
        return fail(state.control, F_COMPUTE, given, pc, c, t), np.int64(0)
    work = max(given, 1)
    state.count[c, N_COMPUTE_PS] = plus(state.count[c, N_COMPUTE_PS], work)
    # Later than the end of any run; the sum with t must fit in a key.
    after, percent = min(work, MAX_TIME_PS), np.int64(100)
    if contention is not None:
        if _shares(state, contention, c, t):
            percent = state.cost[K_ISSUE]
            after = min(after * percent // 100, MAX_TIME_PS)
        if contention.sibling[c] != c and state.cost[K_ISSUE] != 100:
            state.core[c, C_SPIN_CLEAN] = 0
        if ahead:
            after = max(after - ahead, 1)
            state.core[c, C_SPIN_CLEAN] = 0
    late = t + after - timer_of(state.core, c)
    if late > 0:
        rest = max(late * 100 // percent, 1)
        state.thread[u, U_REST] = rest
        state.count[c, N_COMPUTE_PS] -= rest
        state.core[c, C_SPIN_CLEAN] = 0
        state.agent[2 * c, A_DOES] = REISSUE
        schedule(state.tree, 2 * c, ((t + after - late) << AGENT_BITS) | (2 * c))
        return SCHEDULED, after
    state.thread[u, U_REST] = 0
    add_step(state, c, pc, t, -1)
    return PERFORMED, after


def _shares(state, contention, c, t):  # type: ignore[no-untyped-def]
    """Whether another thread of a CPU's core works."""
    core, agent = state.core, state.agent
    x = contention.sibling[c]
    while x != c:
        does = agent[2 * x, A_DOES]
        if (
            not core[x, C_FINISHED]
            and core[x, C_WAITS] == W_NOTHING
            and does != SERVE
            and does != COMPLETE
            and not pauses(state, contention, x, t)
        ):
            return True
        x = contention.sibling[x]
    return False


def _wake(state, c, pc, t, other):  # type: ignore[no-untyped-def]
    """Wake a CPU that sleeps, or leave it a permit."""
    core, cost = state.core, state.cost
    if other < 0 or other >= core.shape[0]:
        return fail(state.control, F_WAKE, other, pc, c, t), np.int64(0)
    state.count[c, N_WAKES] += 1
    if core[other, C_WAITS] == W_SLEEP:
        core[other, C_WAITS] = W_NOTHING
        state.agent[2 * other, A_DOES] = RESUME
        awake = t + cost[K_WAKE] + cost[K_SWITCH]
        schedule(state.tree, 2 * other, (awake << AGENT_BITS) | (2 * other))
    else:
        core[other, C_PERMIT] = 1
    return PERFORMED, cost[K_WAKE]


def _switch(state, c, u, pc, t, other, later):  # type: ignore[no-untyped-def]
    """Suspend a core's thread, which goes on at ``later``, and go on with another one."""
    core, thread = state.core, state.thread
    if other < 0 or other >= thread.shape[0] or thread[other, U_CPU] >= 0:
        return fail(state.control, F_SWITCH, other, pc, c, t), np.int64(0)
    if core[c, C_SB_LEN]:
        core[c, C_WAITS] = W_DRAIN
        return SLEEPS, np.int64(0)
    state.count[c, N_SWITCHES] += 1
    thread[u, U_PC] = later
    thread[u, U_CPU] = NOWHERE
    thread[u, U_STOPS] += 1
    core[c, C_THREAD] = other
    thread[other, U_CPU] = c
    return PERFORMED, state.cost[K_SWITCH]


def _allocate(state, c, kind):  # type: ignore[no-untyped-def]
    """The address of a new object, from the CPU's free ones of its type or fresh; 0 if full."""
    live, control, shift = state.live, state.control, state.cost[K_LINE_SHIFT]
    state.count[c, N_ALLOCS] += 1
    n = state.type_lines[kind]
    at = state.free_head[c, kind]
    if at:
        state.free_head[c, kind] = state.free_next[at]
    else:
        at = control[R_HEAP_NEXT]
        if at + n > live.shape[0]:
            at = np.int64(0)
        else:
            control[R_HEAP_NEXT] = at + n
            fill(state.home, at, at + n, state.node_of[c])
    if at:
        fill(live, at, at + n, 1)
        state.object_type[at] = kind + 1
        fill(state.words, at << shift, (at + n) << shift, 0)
    return at << shift


def _free(state, caches, contention, c, pc, t, subject):  # type: ignore[no-untyped-def]
    """Give an object back to the CPU's free ones of its type."""
    live, object_type, shift = state.live, state.object_type, state.cost[K_LINE_SHIFT]
    state.count[c, N_FREES] += 1
    at = subject >> shift
    if (
        subject <= 0
        or subject >= state.words.shape[0]
        or at << shift != subject
        or not live[at]
        or not object_type[at]
    ):
        return fail(state.control, F_FREE, subject, pc, c, t)
    kind = object_type[at] - 1
    n = state.type_lines[kind]
    # A core that spins on the object must meet the fault of its next load.
    for x in range(state.core.shape[0]):
        disturb(state, caches, contention, x, t, at, at + n - 1)
    fill(live, at, at + n, 0)
    object_type[at] = 0
    state.free_next[at] = state.free_head[c, kind]
    state.free_head[c, kind] = at
    return PERFORMED
