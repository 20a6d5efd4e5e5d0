"""Register code: jumps and arithmetic, as the engines compute them; and what a step notes down."""

from __future__ import annotations

from locksim.compiler import bytecode as b
from locksim.core.faults import Fault
from locksim.lang.words import wrap64

# What a step notes down for the counterexample.
(N_PC, N_ADDRESS, N_OLD, N_NEW, N_FAULT, N_FAULT_AT, N_FAULT_PC, N_BEHIND) = range(8)
N_FORGOT, N_MARKS = 8, 9
NOTES = 10 + 2 * 8
"""Columns of a note: the above, then up to eight pairs of mark and lock."""

_INDEX, _DIVISION, _SHIFT, _RANDOM = (
    int(f) for f in (Fault.INDEX, Fault.DIVISION, Fault.SHIFT, Fault.RANDOM)
)


def jumps(code: list[int], regs: list[int]) -> bool:
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


def compute(code: list[int], regs: list[int], note: list[int]) -> int:
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
        regs[code[1]] = wrap64(x + code[3] + i * code[5])
        return 0
    if op == b.RANDOM or op == b.EXPONENTIAL:
        note[N_FAULT_AT] = x
        regs[code[1]] = 0  # what it is does not matter
        return 0 if x > 0 else _RANDOM
    value = x
    if op == b.ADDI:
        value = wrap64(x + code[3])
    elif op == b.NEG:
        value = wrap64(-x)
    elif op == b.INV:
        value = ~x
    elif op == b.NOT:
        value = int(x == 0)
    elif op != b.MOV:
        y = regs[code[3]]
        if op == b.ADD:
            value = wrap64(x + y)
        elif op == b.SUB:
            value = wrap64(x - y)
        elif op == b.MUL:
            value = wrap64(x * y)
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
            value = wrap64(x << y) if op == b.SHL else x >> y
        elif op == b.FLOORDIV or op == b.MOD:
            if y == 0:
                return _DIVISION
            # By -1 apart: the one division that overflows.
            quotient = x // y if y != -1 else wrap64(-x)
            value = quotient if op == b.FLOORDIV else wrap64(x - quotient * y)
        elif op == b.EQ:
            value = int(x == y)
        elif op == b.NE:
            value = int(x != y)
        elif op == b.LT:
            value = int(x < y)
        elif op == b.LE:
            value = int(x <= y)
        elif op == b.GT:
            value = int(x > y)
        else:
            value = int(x >= y)
    regs[code[1]] = value
    return 0
