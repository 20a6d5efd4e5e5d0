"""Which words and registers may hold the address of an object, and are addresses compared?

An address comes from ``alloc``, perhaps before the first step. It goes on through copies, sums and
words, and nowhere else: a number that merely equals an address (a ticket) is no pointer. Words are
those that the exploration has seen each operation access.

Two pointers that differ in which object they mean, but not in their number, differ for a program
only if it compares them: by a comparison or a compare-exchange with pointers on both sides, or by
arithmetic on their bits. A comparison with NULL sees no difference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from locksim.checker.models import layout as m
from locksim.checker.models.program import defines, live, reaching, uses
from locksim.checker.models.value_sets import ARITHMETIC, ATOMICS, COMPARISONS
from locksim.checker.search.accesses import accesses_of
from locksim.checker.search.explore import Exploration
from locksim.compiler import bytecode as b

_SUMS = (b.MOV, b.ADDI, b.ADD, b.SUB, b.INDEX)
_VALUE = {b.STORE: 4, b.COMPARE_SWAP: 5}
"""The column of the register that an operation on a word writes; of others 4."""


class Pointers:
    """Where pointers are.

    Arguments:
        found: a complete exploration.
        words: the addresses of words that may hold one.
    """

    def __init__(self, found: Exploration) -> None:
        self.program = found.model.program
        memory, size = found.model.memory, found.model.tables.size
        self.words = {  # those that setup() has put there
            a
            for a, value in enumerate(memory.words)
            if size[m.STATIC] <= value < size[m.N_WORDS]
            and memory.live[value >> size[m.LINE_SHIFT]]
        }
        self._rows: set[int] = set()  # whose register may hold one
        self._reaching = reaching(self.program, live(self.program.code), tasks=True)
        self._touched: dict[int, set[int]] = defaultdict(set)
        for _, row, word in accesses_of(found):
            self._touched[row].add(word)
        self._settle()

    def _settle(self) -> None:
        """Let rows and words grow until nothing changes."""
        before = -1
        while before < len(self._rows) + len(self.words):
            before = len(self._rows) + len(self.words)
            for k in self._reaching:
                row, touched = self.program.code[k], self._touched[k]
                if b.STORE <= row[0] <= b.FETCH_XOR and self._in(k, row[_VALUE.get(row[0], 4)]):
                    self.words |= touched
                if row[0] == b.ALLOC or (defines(row) and self._gets(k, row, touched)):
                    self._rows.add(k)

    def _gets(self, k: int, row: list[int], touched: Iterable[int]) -> bool:
        """Whether a row may put a pointer into its register."""
        if row[0] == b.LOAD or row[0] in ATOMICS:
            return not self.words.isdisjoint(touched)
        return (row[0] in _SUMS or row[0] in ARITHMETIC) and self._uses(k, row)

    def _in(self, k: int, register: int) -> bool:
        """Whether a register may hold a pointer where a row reads it."""
        return not self._rows.isdisjoint(self._reaching[k].get(register, ()))

    def _uses(self, k: int, row: list[int]) -> bool:
        mask = uses(row)
        return any(mask >> r & 1 and self._in(k, r) for r in self._reaching[k])

    def compared(self) -> bool:
        """Whether the program may distinguish two pointers by their numbers."""
        return any(self._compares(k, self.program.code[k]) for k in self._reaching)

    def _compares(self, k: int, row: list[int]) -> bool:
        op = row[0]
        if op == b.COMPARE_SWAP:
            return self._in(k, row[4]) and not self.words.isdisjoint(self._touched[k])
        if op in COMPARISONS or b.JEQ <= op <= b.JGE:
            return self._in(k, row[2]) and self._in(k, row[3])
        if op in ARITHMETIC:
            return self._uses(k, row) and (op not in _SUMS or self._both(k, row))
        return b.FETCH_ADD <= op <= b.FETCH_XOR and not self.words.isdisjoint(self._touched[k])

    def _both(self, k: int, row: list[int]) -> bool:
        """Whether a difference of two pointers is taken."""
        return row[0] == b.SUB and self._in(k, row[2]) and self._in(k, row[3])

    def kept(self) -> list[int]:
        """For each entry of ``Program.keep`` whether that register may hold one: 1 or 0."""
        program, flags = self.program, [0] * len(self.program.keep)
        for k in self._reaching:
            for i in range(program.keep_start[k], program.keep_start[k + 1]):
                flags[i] = int(self._in(k, program.keep[i]))
        return flags


def reuse_matters(found: Exploration) -> bool:
    """Whether an allocator with another order of reuse could do what this one does not.

    Arguments:
        found: a complete exploration.
    """
    if not {b.ALLOC, b.FREE} <= {row[0] for row in found.model.program.code}:
        return False
    size = found.model.tables.size
    # Most programs leave no number behind that equals an address, and are done here.
    if not _dangling(found, [1] * len(found.model.program.keep), [1] * size[m.N_WORDS]):
        return False
    pointers = Pointers(found)
    holds = [0] * size[m.N_WORDS]
    for word in pointers.words if pointers.compared() else ():
        holds[word] = 1
    return _dangling(found, pointers.kept(), holds)


def _dangling(found: Exploration, kept: list[int], holds: list[int]) -> bool:
    """Whether a pointer to a freed object may be in use; the flags are those of ``dangling``."""
    by, space = found.runner, found.space
    rows, shared = int(space.thread_count[0]), int(space.shared_count[0])
    widths = rows, shared, shared, found.model.tables.size[m.SHARED]
    sets = [by.zeros("q", n) for n in widths]
    return bool(by.dangling(found.tables, space, by.row(kept), by.row(holds), *sets) >= 0)
