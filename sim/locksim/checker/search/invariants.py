"""Invariants: what a struct's own ``invariant()`` asserts, asked of the memory of every state.

An invariant is a program in the language that only loads and asserts. It takes no step and sees the
memory that all threads agree on: under TSO what has left the store buffers, under C11 each word's
last store in its modification order. Equal memories are one shared row, so it runs once for each.
"""

from __future__ import annotations

from typing import Any

from locksim.checker.models import layout as m
from locksim.checker.models.outcome import FAULT_MEMORY, alive
from locksim.checker.models.registers import N_FAULT, N_FAULT_AT, N_FAULT_PC, compute
from locksim.checker.search.packed import unpack
from locksim.checker.search.step import LONGEST
from locksim.compiler import bytecode as b
from locksim.compiler.arithmetic import jumps
from locksim.core.faults import Fault
from locksim.lang.words import index, plus

INVARIANT = 25
"""What is wrong with a state in which an invariant does not hold, or cannot be asked."""
HOLDS, ENDLESS = 0, -1
"""ENDLESS: an invariant does not come to its end."""

_ASSERTION = int(Fault.ASSERTION)


def broken(
    t: m.Tables,
    code: list[list[int]],
    entry: int,
    constants: list[int],
    regs: list[int],
    rows: Any,
    starts: Any,
    first: int,
    end: int,
    shared: list[int],
    note: list[int],
) -> int:
    """The first of some shared rows of which an invariant does not hold; ``end`` if there is none.

    Arguments:
        t, code, entry, constants, regs, note: as for :func:`holds`.
        rows, starts: all shared rows, packed. first, end: those to look at.
        shared: scratch space for one.
    """
    for k in range(first, end):
        unpack(rows, starts[k], starts[k + 1], shared)
        found = holds(t, code, entry, constants, regs, shared, note)
        if found != HOLDS:
            return ENDLESS if found == ENDLESS else k
    return end


def holds(
    t: m.Tables,
    code: list[list[int]],
    entry: int,
    constants: list[int],
    regs: list[int],
    shared: list[int],
    note: list[int],
) -> int:
    """Whether an invariant holds of a shared row: HOLDS, INVARIANT or ENDLESS.

    Arguments:
        t: the model's Tables.
        code, entry: the invariant's. constants: its registers at the start. regs: scratch space.
        shared: the row. note: where to note down what failed, and where.
    """
    for i in range(len(regs)):  # to assign a slice would allocate
        regs[i] = constants[i]
    pc = entry
    for _ in range(LONGEST):
        row = code[pc]
        op, wrong = row[0], 0
        if op == b.EXIT:
            return HOLDS
        if op == b.LOAD:
            address = plus(regs[row[2]], row[3])
            if alive(t, shared, address):
                regs[row[1]] = shared[index(address)]
            else:
                wrong, note[N_FAULT_AT] = FAULT_MEMORY, address
        elif op == b.ASSERT:
            if regs[row[2]] == 0:
                wrong = _ASSERTION
        elif op == b.NCPUS or op == b.NTHREADS:
            regs[row[1]] = t.size[m.N_THREADS]
        elif b.JMP <= op <= b.JGE:
            if jumps(op, regs[row[2]], regs[row[3]]):
                pc = row[1] - 1
        elif op != b.MARK:
            wrong = compute(row, regs, note)
        if wrong:
            note[N_FAULT], note[N_FAULT_PC] = wrong, pc
            return INVARIANT
        pc += 1
    return ENDLESS
