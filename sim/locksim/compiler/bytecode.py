"""The linked bytecode: one table of numbers that the fast engine runs and the checker explores.

An instruction is a row of eight integers: opcode, then ``x0 … x6``. Registers are indexes into the
thread's register file; constants are registers that every thread starts with.
"""

from __future__ import annotations

from dataclasses import dataclass

from locksim.lang.struct import Struct

# Register code: runs at the moment of the resume, takes no time.
(MOV, ADDI, NEG, INV, NOT) = range(5)  # x0 <- x1 (ADDI: x0 <- x1 + immediate x2)
(ADD, SUB, MUL, FLOORDIV, MOD, AND, OR, XOR, SHL, SHR) = range(5, 15)  # x0 <- x1 op x2
(EQ, NE, LT, LE, GT, GE) = range(15, 21)  # x0 <- x1 op x2
JMP, JZ, JNZ = 21, 22, 23  # to x0; to x0 if register x1 is zero / not zero
(JEQ, JNE, JLT, JLE, JGT, JGE) = range(24, 30)  # to x0 if x1 op x2
CPU, THREAD, NCPUS = 30, 31, 32  # x0 <-
RANDOM, EXPONENTIAL = 33, 34  # x0 <- of bound or mean x1
ASSERT = 35  # x1
INDEX = 36  # x0 <- x1 + immediate x2 + x3 * immediate x4, with 0 <= x3 < immediate x5
CALL = 37  # link register x0 <- next instruction; to x1
RET = 38  # to the address in link register x0
SPIN_ENTER, SPIN = 39, 40  # head of a loop that may be an idle spin: from outside; again
MARK = 41  # mark x0, subject register x1
EXIT = 42  # the thread's program has returned
NTHREADS, NOW, NODE = 43, 44, 45  # x0 <-

# Operations: the first is FIRST_OPERATION; they end a resume.
FIRST_OPERATION = 48
LOAD = 48  # x0 <- word at x1 + immediate x2
STORE = 49  # word at x1 + x2 <- x3 (RELAXED, RELEASE)
SWAP, COMPARE_SWAP, FETCH_ADD, FETCH_AND, FETCH_OR, FETCH_XOR = range(
    50, 56
)  # as LOAD; operands x3, x4
FENCE = 56  # SEQ_CST; others only where they are asked for
PAUSE = 57
COMPUTE = 58  # x3
BLOCK = 59
WAKE = 60  # x3
ALLOC = 61  # x0 <- an object of type number x5
FREE = 62  # x3
SWITCH = 63  # x3
TIMER = 64  # x3

NOTICED = (*range(LOAD, FETCH_XOR + 1), BLOCK, WAKE, ALLOC, FREE)
"""The operations that other threads can notice, whatever the memory model."""

WIDTH = 8
"""Columns of the table. Column 7 of a memory operation and of a fence holds its C11 order; column 6
of a SWAP is 1 where the source says ``store`` (SEQ_CST)."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where an instruction comes from.

    Arguments:
        file, line, method: of the source.
        index: of the instruction in its method's bytecode; -1 for what calls ``thread()``. With it
            an instruction is the same one in every image that holds the method.
        column: at which it begins in the line, from 0; -1 where ``index`` is.
    """

    file: str
    line: int
    method: str
    index: int = -1
    column: int = -1


@dataclass(frozen=True, slots=True)
class Image:
    """A program, linked for one machine.

    Arguments:
        code: the instructions, WIDTH numbers each.
        entry: index of the first. task_entry: of the first of ``task()``, -1 if there is none.
        registers: the values that a thread's register file starts with.
        places: source of each instruction.
        types: what the program and its set-ups allocate; an ALLOC's x5 is an index into it.
    """

    code: tuple[tuple[int, ...], ...]
    entry: int
    registers: tuple[int, ...]
    places: tuple[Place, ...]
    types: tuple[type[Struct], ...]
    task_entry: int = -1
