"""Register instructions: what stands between two operations of a thread, and costs no time."""

from __future__ import annotations

from locksim.compiler.arithmetic import fault_of, jumps, value_of
from locksim.compiler.bytecode import *
from locksim.core.faults import Fault
from locksim.engine.fast.spins import begin, parks
from locksim.engine.fast.state import *
from locksim.engine.meters import mark
from locksim.engine.trace import MARK as TRACE_MARK
from locksim.lang.ops import Mark
from locksim.lang.randomness import draw, exponential_of
from locksim.lang.words import plus

MARK_DONE, MARK_NOTE = int(Mark.DONE), int(Mark.NOTE)
F_INDEX, F_RANDOM, F_ASSERT = (int(f) for f in (Fault.INDEX, Fault.RANDOM, Fault.ASSERTION))


def advance_to_operation(state, caches, contention, c, u, pc, t):  # type: ignore[no-untyped-def]
    """Execute a thread's register instructions from ``pc`` on, up to its next operation.

    Returns the place that it has reached, and READY; SLEEPS after the last instruction of its
    program, or if it spins idly and the core is parked; FAILED.
    """
    code, registers, cost = state.code, state.registers, state.cost
    core, thread, control = state.core, state.thread, state.control
    op = code[pc, 0]
    while op < FIRST_OPERATION:
        at = pc
        pc += 1
        if op == MOV:
            registers[u, code[at, 1]] = registers[u, code[at, 2]]
        elif op == ADDI:
            registers[u, code[at, 1]] = plus(registers[u, code[at, 2]], code[at, 3])
        elif op == JMP:
            pc = code[at, 1]
        elif JZ <= op <= JGE:
            if jumps(op, registers[u, code[at, 2]], registers[u, code[at, 3]]):
                pc = code[at, 1]
        elif op == CALL:
            registers[u, code[at, 1]] = pc
            pc = code[at, 2]
        elif op == RET:
            pc = registers[u, code[at, 1]]
        elif op == MARK:
            _note(state, c, u, t, code[at, 1], registers[u, code[at, 2]])
        elif op == SPIN:
            if parks(state, caches, contention, c, pc, t):
                return at, SLEEPS
            begin(state.core, c, pc, t, cost[K_JUMP])
        elif op == SPIN_ENTER:
            core[c, C_SPIN_PC] = -1
        elif NEG <= op <= GE:
            y = registers[u, code[at, 3]]
            fault = fault_of(op, y)
            if fault:
                return at, fail(control, fault, y, at, c, t)
            registers[u, code[at, 1]] = value_of(op, registers[u, code[at, 2]], y)
        elif op == INDEX:
            i = registers[u, code[at, 4]]
            if i < 0 or i >= code[at, 6]:
                return at, fail(control, F_INDEX, i, at, c, t)
            registers[u, code[at, 1]] = plus(
                registers[u, code[at, 2]], code[at, 3] + i * code[at, 5]
            )
        elif op == CPU:
            registers[u, code[at, 1]] = c
        elif op == THREAD:
            registers[u, code[at, 1]] = u
        elif op == NODE:
            registers[u, code[at, 1]] = state.node_of[c]
        elif op == NCPUS:
            registers[u, code[at, 1]] = state.core.shape[0]
        elif op == NTHREADS:
            registers[u, code[at, 1]] = thread.shape[0]
        elif op == NOW:
            registers[u, code[at, 1]] = t
        elif op == RANDOM or op == EXPONENTIAL:
            by = registers[u, code[at, 2]]
            if by <= 0:
                return at, fail(control, F_RANDOM, by, at, c, t)
            bits = draw(cost[K_SEED], thread[u, U_STREAM], thread[u, U_DRAWS])
            thread[u, U_DRAWS] += 1
            registers[u, code[at, 1]] = bits % by if op == RANDOM else exponential_of(bits, by)
        elif op == ASSERT:
            if registers[u, code[at, 2]] == 0:
                return at, fail(control, F_ASSERT, 0, at, c, t)
        else:  # EXIT
            core[c, C_FINISHED] = 1
            thread[u, U_RETURNED] = 1
            control[R_FINISHED] += 1
            return at, SLEEPS
        op = code[pc, 0]
    return pc, READY


def _note(state, c, u, t, what, subject):  # type: ignore[no-untyped-def]
    """A mark of a program: it costs nothing and feeds the meters."""
    if what == MARK_DONE:
        state.count[c, N_DONE] += 1
    elif what != MARK_NOTE:
        lock = state.lock_of[subject] if 0 <= subject < state.words.shape[0] else 0
        if lock:
            stops = state.thread[u, U_STOPS]
            mark(state.locks, state.durations, state.meter, lock - 1, what, u, t, stops)
    if state.cost[K_TRACING]:
        record(state.trace, state.control, t, 2 * c, TRACE_MARK + what, subject, 0, -1)
