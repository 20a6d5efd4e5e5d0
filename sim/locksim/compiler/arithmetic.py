"""Arithmetic of register code, for the fast engine and the checker."""

from __future__ import annotations

from locksim.compiler import bytecode as b
from locksim.core.faults import Fault
from locksim.lang.words import minus, plus, times, wrap64

_DIVISION, _SHIFT = int(Fault.DIVISION), int(Fault.SHIFT)


def jumps(op: int, x: int, y: int) -> bool:
    """Whether a jump from JMP to JGE is taken."""
    if op == b.JMP:
        return True
    if op == b.JZ:
        return x == 0
    if op == b.JNZ:
        return x != 0
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


def fault_of(op: int, y: int) -> int:
    """The kind of fault of an instruction from NEG to GE, by its second operand; or 0."""
    if op == b.FLOORDIV or op == b.MOD:
        return _DIVISION if y == 0 else 0
    if op == b.SHL or op == b.SHR:
        return _SHIFT if y < 0 or y > 63 else 0
    return 0


def value_of(op: int, x: int, y: int) -> int:
    """What an instruction from NEG to GE computes; ``y`` is no fault of it, or not used."""
    if op == b.ADD:
        return plus(x, y)
    if op == b.SUB:
        return minus(x, y)
    if op == b.MUL:
        return times(x, y)
    if op == b.FLOORDIV or op == b.MOD:
        # By -1 apart: the one division that overflows.
        quotient = x // y if y != -1 else minus(0, x)
        return quotient if op == b.FLOORDIV else minus(x, times(quotient, y))
    if op == b.AND:
        return x & y
    if op == b.OR:
        return x | y
    if op == b.XOR:
        return x ^ y
    if op == b.SHL:
        return wrap64(x << y)
    if op == b.SHR:
        return x >> y
    if op == b.NEG:
        return minus(0, x)
    if op == b.INV:
        return ~x
    if op == b.NOT:
        return int(x == 0)
    if op == b.EQ:
        return int(x == y)
    if op == b.NE:
        return int(x != y)
    if op == b.LT:
        return int(x < y)
    if op == b.LE:
        return int(x <= y)
    if op == b.GT:
        return int(x > y)
    return int(x >= y)
