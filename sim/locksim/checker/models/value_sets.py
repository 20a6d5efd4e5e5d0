"""Which values each register and each word may have: sets of numbers, over all of the program.

The analysis looks at all runs at once (value sets; Balakrishnan and Reps, CC 2004): a set grows
until nothing changes, and one that grows too often or too far stands for every number. It says
which words an operation may touch.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from itertools import product

from locksim.checker.models.program import Program, defines, has_effect, live, reaching
from locksim.checker.models.registers import compute
from locksim.compiler import bytecode as b
from locksim.core.memory import Memory

_MOST_VALUES = 256
"""Values of a register or a word that are told apart."""
_MOST_GROWTHS = 32
"""Times that a set of values may grow before it counts as all numbers."""

ARITHMETIC = range(b.ADD, b.SHR + 1)
COMPARISONS = range(b.EQ, b.GE + 1)
ATOMICS = range(b.SWAP, b.FETCH_XOR + 1)

Values = frozenset[int] | None
"""The values that something may have; None: any."""


class ValueSets:
    """Which definition of a register each use reads, and what values there may be.

    A definition is the number of the row that writes the register; register r's value at the start
    is definition ``rows + r``.
    """

    def __init__(self, program: Program, memory: Memory, n_threads: int, static: int) -> None:
        self.program, self.memory, self.n_threads = program, memory, n_threads
        self.static = static
        self.code = program.code
        self.n = len(self.code)
        self.live = live(self.code)
        self.reaching = reaching(program, self.live)
        self.values: dict[int, Values] = {
            self.n + r: frozenset([value]) for r, value in enumerate(program.registers)
        }
        self.words: list[Values] = [frozenset([value]) for value in memory.words]
        self._growths: dict[int, int] = defaultdict(int)
        self._settle()

    def matters(self, k: int) -> bool:
        """Whether row k can run, and does anything that anything depends on."""
        written = defines(self.code[k])
        return k in self.reaching and bool(has_effect(self.code[k]) or self.live[k + 1] & written)

    def definitions(self, k: int, register: int) -> frozenset[int]:
        """What may have set a register that row k reads."""
        return self.reaching[k].get(register) or frozenset([self.n + register])

    def of(self, k: int, register: int) -> Values:
        """The values that a register may have where row k reads it."""
        return _union(self.values.get(d, frozenset()) for d in self.definitions(k, register))

    def constant(self, k: int, register: int) -> int | None:
        """The only value that a register may have there."""
        values = self.of(k, register)
        return next(iter(values)) if values is not None and len(values) == 1 else None

    def addresses(self, k: int) -> Values:
        """The words that an operation may touch."""
        base = self.of(k, self.code[k][2])
        size = len(self.words)
        if base is None:
            return None
        return frozenset(a for v in base if 0 <= (a := v + self.code[k][3]) < size)

    def _settle(self) -> None:
        """Let the sets of values grow until nothing changes."""
        rows = [k for k in sorted(self.reaching) if self.matters(k)]
        changed = True
        while changed:
            changed = False
            for k in rows:
                row = self.code[k]
                if row[0] in (b.STORE, *ATOMICS):
                    where = self.addresses(k)
                    for a in range(len(self.words)) if where is None else where:
                        changed |= self._word_grows(a, self._stored(k, row, self.words[a]))
                if defines(row):
                    old = self.values.get(k, frozenset())
                    new = self._grown(k, old, self._computed(k, row))
                    changed |= new != old
                    self.values[k] = new

    def _word_grows(self, a: int, values: Values) -> bool:
        old = self.words[a]
        self.words[a] = self._grown(-1 - a, old, values)
        return old != self.words[a]

    def _grown(self, what: int, old: Values, more: Values) -> Values:
        new = _union([old, more])
        if new != old:
            self._growths[what] += 1
        return None if self._growths[what] > _MOST_GROWTHS else new

    def _stored(self, k: int, row: list[int], old: Values) -> Values:
        """What an operation may leave in a word."""
        op = row[0]
        if op in (b.STORE, b.SWAP):
            return self.of(k, row[4])
        if op == b.COMPARE_SWAP:
            return self.of(k, row[5])
        how = {b.FETCH_ADD: b.ADD, b.FETCH_AND: b.AND, b.FETCH_OR: b.OR, b.FETCH_XOR: b.XOR}
        return _results(how[op], old, self.of(k, row[4]))

    def _computed(self, k: int, row: list[int]) -> Values:
        """What a row may write into its register."""
        op = row[0]
        if op == b.LOAD or op in ATOMICS:
            where = self.addresses(k)
            return None if where is None else _union(self.words[a] for a in where)
        if op in (b.CPU, b.THREAD):
            return frozenset(range(self.n_threads))
        if op == b.NODE:
            return frozenset(range(self.memory.space.places["node"]))
        if op in (b.NCPUS, b.NTHREADS):
            return frozenset([self.n_threads])
        if op == b.ALLOC:
            wpl = self.memory.space.words_per_line
            return frozenset(range(self.static, len(self.words), wpl))
        if op == b.INDEX:
            index = self.of(k, row[4])
            places = [i for i in range(row[6]) if index is None or i in index]
            offsets = frozenset(row[3] + i * row[5] for i in places)
            return _results(b.ADD, self.of(k, row[2]), offsets)
        if op == b.RANDOM:
            bound = self.constant(k, row[2])
            return frozenset(range(bound)) if bound and 0 < bound <= _MOST_VALUES else None
        return self._of_registers(k, row)

    def _of_registers(self, k: int, row: list[int]) -> Values:
        """What arithmetic may write into its register."""
        op = row[0]
        if op in COMPARISONS or op == b.NOT:
            return frozenset([0, 1])
        if op == b.ADDI:
            return _results(b.ADD, self.of(k, row[2]), frozenset([row[3]]))
        if op in (b.MOV, b.NEG, b.INV):
            return _results(op, self.of(k, row[2]), frozenset([0]))
        if op in ARITHMETIC:
            return _results(op, self.of(k, row[2]), self.of(k, row[3]))
        return None


def _union(sets: Iterable[Values]) -> Values:
    found: set[int] = set()
    for values in sets:
        if values is None or len(found := found | values) > _MOST_VALUES:
            return None
    return frozenset(found)


def _results(op: int, left: Values, right: Values) -> Values:
    """What register arithmetic may give."""
    if left is None and op in (b.AND, b.MOD) and right is not None and len(right) == 1:
        bound = next(iter(right)) + (op == b.AND)
        return frozenset(range(bound)) if 0 < bound <= _MOST_VALUES else None
    if left is None or right is None or len(left) * len(right) > _MOST_VALUES**2:
        return None
    found = set()
    for x, y in product(left, right):
        registers = [0, x, y]
        if compute([op, 0, 1, 2], registers, [0] * 32) == 0:  # a fault gives nothing
            found.add(registers[0])
    return frozenset(found) if len(found) <= _MOST_VALUES else None
