"""Sequential consistency: one memory; every operation takes effect at once, in program order."""

from __future__ import annotations

from locksim.checker.models import layout as m
from locksim.checker.models.outcome import DONE
from locksim.checker.models.registers import N_NEW, N_OLD
from locksim.compiler import bytecode as b
from locksim.lang.words import plus


def access(
    t: m.Tables, shared: list[int], regs: list[int], code: list[int], address: int, note: list[int]
) -> int:
    """A load, store or atomic read-modify-write of a live word."""
    old = shared[address]
    new = written(code, regs, old)
    note[N_OLD], note[N_NEW] = old, new
    shared[address] = new
    if code[0] != b.STORE:
        regs[code[1]] = old
    return DONE


def written(code: list[int], regs: list[int], old: int) -> int:
    """What an operation leaves in a word that held ``old``."""
    op = code[0]
    if op == b.LOAD:
        return old
    new = operand = regs[code[4]]
    if op == b.COMPARE_SWAP:
        new = regs[code[5]] if old == operand else old
    elif op == b.FETCH_ADD:
        new = plus(old, operand)
    elif op == b.FETCH_AND:
        new = old & operand
    elif op == b.FETCH_OR:
        new = old | operand
    elif op == b.FETCH_XOR:
        new = old ^ operand
    return new
