"""Operations on a word of memory, and the store buffer: PHYSICS.md, "Operations"."""

from __future__ import annotations

import numpy as np

from locksim.compiler.bytecode import (
    COMPARE_SWAP,
    FETCH_ADD,
    FETCH_AND,
    FETCH_OR,
    LOAD,
    STORE,
    SWAP,
)
from locksim.core.faults import Fault
from locksim.engine.fast.capacity import hit
from locksim.engine.fast.contention import holder_of
from locksim.engine.fast.requests import ask
from locksim.engine.fast.spins import add_step, disturb_siblings
from locksim.engine.fast.state import *
from locksim.engine.trace import DRAINED
from locksim.lang.words import index, plus
from locksim.machine.costs import SAME_NODE

F_MEMORY = int(Fault.MEMORY)
K_ENTRIES, K_RUN_AHEAD, K_PRIVATE_HIT = columns("store_buffer_entries", "run_ahead", "private_hit")
(P_FAR_ATOMIC,) = by_class("far_atomic")


def access(state, caches, contention, c, u, pc, t, completes):  # type: ignore[no-untyped-def]
    """Issue a load, store or atomic instruction; ``completes``: it has its line and takes effect.

    Returns what became of it, and the time to the thread's next event if it was performed.
    """
    code, control, agent = state.code, state.control, state.agent
    op = code[pc, 0]
    address = plus(state.registers[u, code[pc, 2]], code[pc, 3])
    wanted = address >> state.cost[K_LINE_SHIFT]
    if not completes and (address < 0 or address >= state.words.shape[0] or not state.live[wanted]):
        return fail(control, F_MEMORY, address, pc, c, t), np.int64(0)
    if contention is not None:
        a = 2 * c
        contention.pauses[c] = 0
        waited = t + agent[a, A_DELAY] - agent[a, A_SINCE]
        if op != LOAD or caches is not None:
            disturb_siblings(state, caches, contention, c, t, wanted, op != LOAD)
        contention.ahead[c] = min(state.cost[K_RUN_AHEAD], waited) if completes else 0
    if op == LOAD:
        outcome, after, value = _load(
            state, caches, contention, c, u, pc, t, address, wanted, completes
        )
        what = np.int64(T_LOAD)
    elif op == STORE:
        outcome, after, value = _store(state, caches, contention, c, u, pc, t, address, wanted)
        what = np.int64(T_STORE)
    else:
        outcome, after, value = _atomic(
            state, caches, contention, c, u, pc, t, address, wanted, completes
        )
        what = T_SWAP + op - SWAP
    if outcome == PERFORMED and state.cost[K_TRACING]:
        record(state.trace, control, t, 2 * c, what, address, value, pc)
    return outcome, after


def _arrived(line, wanted, c, t):  # type: ignore[no-untyped-def]
    """Whether a line that a CPU has a right to is there, and not still under way to it."""
    return not (line[wanted, L_FILLER] == c and line[wanted, L_READY] > t)


def _wait_for_arrival(state, c, wanted):  # type: ignore[no-untyped-def]
    """The core issues its operation again when the line under way arrives."""
    state.agent[2 * c, A_DOES] = REISSUE
    schedule(state.tree, 2 * c, (state.line[wanted, L_READY] << AGENT_BITS) | (2 * c))
    return SCHEDULED, np.int64(0), np.int64(0)


def _load(state, caches, contention, c, u, pc, t, address, wanted, completes):  # type: ignore[no-untyped-def]
    """A load: from the CPU's own store buffer, from its cache, or by a request for a copy."""
    core, line, count, buffer = state.core, state.line, state.count, state.buffer
    holder = holder_of(contention, c)
    value = np.int64(0)
    after = state.cost[K_L1_HIT]
    forwarded = False
    if core[c, C_SB_LEN] and not completes:
        at = core[c, C_SB_HEAD]
        for _ in range(core[c, C_SB_LEN]):
            if buffer[c, at, B_ADDRESS] == address:
                forwarded = True
                value = buffer[c, at, B_VALUE]
            at += 1
            if at == state.cost[K_ENTRIES]:
                at = 0
    if forwarded:
        count[c, N_FORWARDED] += 1
        core[c, C_SPIN_CLEAN] = 0
    elif completes:
        value = state.words[address]
        after = state.agent[2 * c, A_DELAY]
    elif line[wanted, L_OWNER] == holder or (
        (state.sharers[wanted, holder >> 6] >> index(holder & 63)) & index(1)
    ):
        if not _arrived(line, wanted, holder, t):
            core[c, C_SPIN_CLEAN] = 0
            return _wait_for_arrival(state, c, wanted)
        value = state.words[address]
        count[c, N_HITS] += 1
        if caches is not None and not hit(caches, holder, wanted, c, count):
            after += state.cost[K_PRIVATE_HIT] - state.cost[K_L1_HIT]
            core[c, C_SPIN_CLEAN] = 0
        add_step(state, c, pc, t, wanted)
    else:
        core[c, C_SPIN_CLEAN] = 0
        return ask(state, contention, 2 * c, wanted, SHARED, t), np.int64(0), np.int64(0)
    state.registers[u, state.code[pc, 1]] = value
    count[c, N_LOADS] += 1
    return PERFORMED, after, value


def _store(state, caches, contention, c, u, pc, t, address, wanted):  # type: ignore[no-untyped-def]
    """A store: into the CPU's own line, or into its store buffer, or it waits for a free entry."""
    core, line, count, buffer = state.core, state.line, state.count, state.buffer
    core[c, C_SPIN_CLEAN] = 0
    value = state.registers[u, state.code[pc, 4]]
    entries = state.cost[K_ENTRIES]
    stored = core[c, C_SB_LEN]
    holder = holder_of(contention, c)
    owned = stored == 0 and line[wanted, L_OWNER] == holder
    if owned and not _arrived(line, wanted, holder, t):
        # It is on its way to another thread of the core.
        return _wait_for_arrival(state, c, wanted)
    if owned:
        state.words[address] = value
        count[c, N_HITS] += 1
        if caches is not None:
            hit(caches, holder, wanted, c, count)
            caches.modified[wanted] = 1
    elif stored < entries:
        at = core[c, C_SB_HEAD] + stored
        if at >= entries:
            at -= entries
        buffer[c, at, B_ADDRESS] = address
        buffer[c, at, B_VALUE] = value
        buffer[c, at, B_PC] = pc
        core[c, C_SB_LEN] = stored + 1
        if stored == 0:
            drainer = 2 * c + 1
            state.agent[drainer, A_DOES] = REISSUE
            schedule(state.tree, drainer, (t << AGENT_BITS) | drainer)
    else:
        core[c, C_WAITS] = W_SLOT
        return SLEEPS, np.int64(0), np.int64(0)
    count[c, N_STORES] += 1
    return PERFORMED, state.cost[K_STORE], value


def _atomic(state, caches, contention, c, u, pc, t, address, wanted, completes):  # type: ignore[no-untyped-def]
    """An atomic instruction: after the store buffer is empty, on a line that the CPU owns."""
    core, line, count, words = state.core, state.line, state.count, state.words
    code, registers = state.code, state.registers
    core[c, C_SPIN_CLEAN] = 0
    after = state.cost[K_RMW]
    holder = holder_of(contention, c)
    if completes:
        after += state.agent[2 * c, A_DELAY]
    else:
        if core[c, C_SB_LEN]:
            core[c, C_WAITS] = W_DRAIN
            return SLEEPS, np.int64(0), np.int64(0)
        if line[wanted, L_OWNER] != holder:
            right = EXCLUSIVE
            if contention is not None and state.latency[P_FAR_ATOMIC, SAME_NODE]:
                right = AT_HOME
            return ask(state, contention, 2 * c, wanted, right, t), np.int64(0), np.int64(0)
        if not _arrived(line, wanted, holder, t):
            return _wait_for_arrival(state, c, wanted)
        count[c, N_HITS] += 1
        if caches is not None and not hit(caches, holder, wanted, c, count):
            after += state.cost[K_PRIVATE_HIT] - state.cost[K_L1_HIT]
    if caches is not None:
        caches.modified[wanted] = 1
    op = code[pc, 0]
    value = words[address]
    operand = registers[u, code[pc, 4]]
    if op == SWAP:
        words[address] = operand
    elif op == COMPARE_SWAP:
        if value == operand:
            words[address] = registers[u, code[pc, 5]]
    elif op == FETCH_ADD:
        words[address] = plus(value, operand)
    elif op == FETCH_AND:
        words[address] = value & operand
    elif op == FETCH_OR:
        words[address] = value | operand
    else:
        words[address] = value ^ operand
    registers[u, code[pc, 1]] = value
    count[c, N_RMWS] += 1
    return PERFORMED, after, value


def drain(state, caches, contention, c, t, completes):  # type: ignore[no-untyped-def]
    """The store buffer's oldest store: it takes effect, or requests its line."""
    core, line, agent, tree = state.core, state.line, state.agent, state.tree
    cost, buffer, control = state.cost, state.buffer, state.control
    a, holder = 2 * c + 1, holder_of(contention, c)
    head = core[c, C_SB_HEAD]
    address, value = buffer[c, head, B_ADDRESS], buffer[c, head, B_VALUE]
    pc = buffer[c, head, B_PC]
    wanted = address >> cost[K_LINE_SHIFT]
    if contention is not None:
        disturb_siblings(state, caches, contention, c, t, wanted, True)
    if not completes:
        if line[wanted, L_OWNER] != holder:
            return ask(state, contention, a, wanted, EXCLUSIVE, t)
        if not _arrived(line, wanted, holder, t):
            schedule(tree, a, (line[wanted, L_READY] << AGENT_BITS) | a)
            return SCHEDULED
    if not state.live[wanted]:
        return fail(control, F_MEMORY, address, pc, c, t)
    if not completes:
        state.count[c, N_HITS] += 1
        if caches is not None:
            hit(caches, holder, wanted, c, state.count)
    if caches is not None:
        caches.modified[wanted] = 1
    state.words[address] = value
    if cost[K_TRACING]:
        record(state.trace, control, t, a, DRAINED, address, value, pc)
    head += 1
    core[c, C_SB_HEAD] = 0 if head == cost[K_ENTRIES] else head
    core[c, C_SB_LEN] -= 1
    left = core[c, C_SB_LEN]
    waits = core[c, C_WAITS]
    if waits == W_SLOT or (waits == W_DRAIN and left == 0):
        core[c, C_WAITS] = W_NOTHING
        agent[a - 1, A_DOES] = REISSUE
        schedule(tree, a - 1, ((t + cost[K_L1_HIT]) << AGENT_BITS) | (a - 1))
    delay = cost[K_STORE] + (agent[a, A_DELAY] if completes else 0)
    agent[a, A_DOES] = REISSUE
    schedule(tree, a, ((t + delay) << AGENT_BITS) | a if left else NEVER)
    return SCHEDULED
