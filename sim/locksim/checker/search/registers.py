"""Register code, compiled: jumps and arithmetic, as the engines compute them; and a step's notes.

Not cached by itself: see :mod:`locksim.checker.search.compiled`.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from locksim.compiler import bytecode as b
from locksim.core.faults import Fault

# What a step notes down for the counterexample.
(N_PC, N_ADDRESS, N_OLD, N_NEW, N_FAULT, N_FAULT_AT, N_FAULT_PC, N_BEHIND) = range(8)
N_FORGOT, N_MARKS = 8, 9
NOTES = 10 + 2 * 8
"""Columns of a note: the above, then up to eight pairs of mark and lock."""

_INDEX, _DIVISION, _SHIFT, _RANDOM = (
    int(f) for f in (Fault.INDEX, Fault.DIVISION, Fault.SHIFT, Fault.RANDOM)
)


@njit
def jumps(code, regs):  # type: ignore[no-untyped-def]
    """Whether a jump is taken."""
    op = code[0]
    if op == b.JMP:
        return True
    if op == b.JZ:
        return regs[code[2]] == 0
    if op == b.JNZ:
        return regs[code[2]] != 0
    x, y = regs[code[2]], regs[code[3]]
    if op == b.JEQ:
        return x == y
    if op == b.JNE:
        return x != y
    if op == b.JLT:
        return x < y
    if op == b.JLE:
        return x <= y
    if op == b.JGT:
        return x > y
    return x >= y


@njit(error_model="numpy")
def compute(code, regs, note):  # type: ignore[no-untyped-def]
    """Register arithmetic; gives the kind of fault, or 0."""
    op = code[0]
    if op == b.SPIN or op == b.SPIN_ENTER:
        return 0
    x = regs[code[2]]
    if op == b.INDEX:
        i = regs[code[4]]
        if i < 0 or i >= code[6]:
            note[N_FAULT_AT] = i
            return _INDEX
        regs[code[1]] = x + code[3] + i * code[5]
        return 0
    if op == b.RANDOM or op == b.EXPONENTIAL:
        note[N_FAULT_AT] = x
        regs[code[1]] = 0  # what it is does not matter
        return 0 if x > 0 else _RANDOM
    value = x
    if op == b.ADDI:
        value = x + code[3]
    elif op == b.NEG:
        value = -x
    elif op == b.INV:
        value = ~x
    elif op == b.NOT:
        value = np.int64(x == 0)
    elif op != b.MOV:
        y = regs[code[3]]
        if op == b.ADD:
            value = x + y
        elif op == b.SUB:
            value = x - y
        elif op == b.MUL:
            value = x * y
        elif op == b.AND:
            value = x & y
        elif op == b.OR:
            value = x | y
        elif op == b.XOR:
            value = x ^ y
        elif op == b.SHL or op == b.SHR:
            if y < 0 or y > 63:
                note[N_FAULT_AT] = y
                return _SHIFT
            value = x << y if op == b.SHL else x >> y
        elif op == b.FLOORDIV or op == b.MOD:
            if y == 0:
                return _DIVISION
            # By -1 apart: the one division that overflows.
            quotient = x // y if y != -1 else -x
            value = quotient if op == b.FLOORDIV else x - quotient * y
        elif op == b.EQ:
            value = np.int64(x == y)
        elif op == b.NE:
            value = np.int64(x != y)
        elif op == b.LT:
            value = np.int64(x < y)
        elif op == b.LE:
            value = np.int64(x <= y)
        elif op == b.GT:
            value = np.int64(x > y)
        else:
            value = np.int64(x >= y)
    regs[code[1]] = value
    return 0
