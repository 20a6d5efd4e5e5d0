"""The accesses of words that an exploration has met: which thread, which row, which word."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

from locksim.checker.models import layout as m
from locksim.checker.search.explore import Exploration
from locksim.compiler import bytecode as b

ON_WORDS = range(b.LOAD, b.FETCH_XOR + 1)
"""The operations on words."""


def accesses_of(found: Exploration) -> dict[tuple[int, int, int], int]:
    """Thread, row of the program and word of each access at which a thread rests → locks held.

    The locks are a bit set: for a read those that the thread is inside, for a write those that it
    is inside alone, as Eraser has it.
    """
    program, size = found.model.program, [int(n) for n in found.tables.size]
    width, inside, locks = size[m.ROW], size[m.INSIDE], range(size[m.N_LOCKS])
    accesses: dict[tuple[int, int, int], int] = defaultdict(lambda: -1)
    for first in range(0, int(found.space.thread_count[0]) * width, width):
        row = int(found.space.threads[first + m.PC])
        code = program.code[row]
        if code[0] in ON_WORDS:
            numbers = [int(x) for x in found.space.threads[first : first + width]]
            kept = program.keep[program.keep_start[row] : program.keep_start[row + 1]]
            at = m.REGISTERS + kept.index(code[2]) if code[2] in kept else -1
            base = program.registers[code[2]] if at < 0 else numbers[at]
            columns = 1 if writes(code) else 2
            held = sum(
                1 << k for k in locks if any(numbers[inside + 2 * k : inside + 2 * k + columns])
            )
            accesses[numbers[m.THREAD], row, base + code[3]] &= held
    return accesses


def writes(row: list[int]) -> bool:
    """Whether an operation on a word may write it."""
    return row[0] != b.LOAD


def name_of(found: Exploration, word: int) -> str:
    """A word's name; on the heap, after the first object that the exploration had there."""
    memory, size = found.model.memory, found.model.tables.size
    line, objects = word >> size[m.LINE_SHIFT], size[m.OBJECT]
    for k in range(int(found.space.shared_count[0]) if word >= size[m.STATIC] else 0):
        row = found.shared_row(k)
        if row[size[m.LIVE] + line]:
            kinds = row[objects : objects + size[m.N_LINES]]
            return replace(memory, object_type=kinds).name(word)
    return memory.name(word)
