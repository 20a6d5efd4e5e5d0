"""Register code, and what a step notes down."""

from __future__ import annotations

from locksim.compiler import bytecode as b
from locksim.compiler.arithmetic import fault_of, value_of
from locksim.core.faults import Fault
from locksim.lang.words import plus

# What a step notes down for the counterexample.
(N_PC, N_ADDRESS, N_OLD, N_NEW, N_FAULT, N_FAULT_AT, N_FAULT_PC, N_BEHIND) = range(8)
N_FORGOT, N_MARKS = 8, 9
NOTES = 10 + 2 * 8
"""Columns of a note: the above, then up to eight pairs of mark and lock."""

_INDEX, _RANDOM = int(Fault.INDEX), int(Fault.RANDOM)


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
        regs[code[1]] = plus(x, code[3] + i * code[5])
        return 0
    if op == b.RANDOM or op == b.EXPONENTIAL:
        note[N_FAULT_AT] = x
        regs[code[1]] = 0  # what it is does not matter
        return 0 if x > 0 else _RANDOM
    if op == b.MOV or op == b.ADDI:
        regs[code[1]] = x if op == b.MOV else plus(x, code[3])
        return 0
    y = regs[code[3]]
    wrong = fault_of(op, y)
    if wrong:
        note[N_FAULT_AT] = y
        return wrong
    regs[code[1]] = value_of(op, x, y)
    return 0
