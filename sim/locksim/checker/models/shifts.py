"""Which words may all be larger by the same number, and nothing would change.

A ticket lock does not care how large its numbers are, only how they differ. Such words and the
registers that hold their values form a *group*. The analysis gives each word and each value of a
register a coefficient c in each group, so that a state and the state in which everything is larger
by c * d behave alike: every step that one can take the other can take too, and the results are
again further by c * d. A state is therefore stored with its group moved to where one of its words,
the anchor, is near 0. That is an exact bisimulation: no word wraps round, and nothing is guessed.

*How the coefficients are found.* Each instruction on whose result anything depends demands a
linear equation. ``z = x + y`` wants c(z) = c(x) + c(y); a load, a store or a comparison wants both
sides to be equal; a jump on zero, an address, an index or an operation that ``_Equations`` does not
list wants 0. A word stands for all values that are ever in it. The solutions of these equations are
the groups. A remainder (``x % m``, ``x & mask``) does not change if d moves x by a multiple of the
modulus: such a group moves in steps of it. Where remainders by one modulus are only compared for
equality, and only with one another, they move themselves, modulo that number: tickets of 16 bits.

*Which words an operation may touch* follows from the values that its address may have
(:mod:`locksim.checker.models.value_sets`). An address of which nothing is known may be any word's,
and then no word is in a group.

*Values that fall behind.* A thread may keep a number of a group while the words of the group count
on, as one that is about to claim a ticket by a compare-and-swap. If the program only copies,
compares and stores such numbers, and adds constants, the words never decrease, and all that the
thread keeps of the group is far below them, then every comparison with a word comes out the same
however far that is. So the distance is held at a bound (the group's *lag*). That the words never
decrease, and stay near each other, is a claim which the exploration checks at every step; if it is
refuted, all begins again without it.

Numbers are unbounded here, as in the programs' meaning: a comparison with ``<`` of words that have
counted beyond 2 ** 63 is not covered.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from fractions import Fraction
from math import gcd, lcm

from locksim.checker.models.elimination import eliminate, least_whole_solution
from locksim.checker.models.program import Program, defines, uses
from locksim.checker.models.value_sets import ARITHMETIC, COMPARISONS, ValueSets
from locksim.compiler import bytecode as b
from locksim.compiler.control_flow import reachable
from locksim.core.faults import place as shown
from locksim.core.memory import Memory
from locksim.lang.ops import Mark

_NUMBER = "it is a number that the program names"


@dataclass(frozen=True)
class Shifts:
    """The groups of a program.

    Arguments:
        words: of each group, the coefficient of each word.
        kept: of each group, the coefficient of each entry of ``Program.keep``.
        moduli: of each entry of ``Program.keep``, the number modulo which it moves, or 0.
        anchors: of each group, the address of its anchor.
        steps: of each group, the amount of which every shift is a multiple.
        lags: of each group, how far values that are compared with each other are apart at most
            by what the program adds, and 1; or 0: their distance matters otherwise.
        reasons: of each word that is in no group, why, with the place.
    """

    words: list[list[int]] = field(default_factory=list)
    kept: list[list[int]] = field(default_factory=list)
    moduli: list[int] = field(default_factory=list)
    anchors: list[int] = field(default_factory=list)
    steps: list[int] = field(default_factory=list)
    lags: list[int] = field(default_factory=list)
    reasons: dict[int, str] = field(default_factory=dict)


def shifts(program: Program, memory: Memory, n_threads: int, static: int) -> Shifts:
    """Find the groups of a program.

    Arguments:
        program: what the threads run. memory: before the first step.
        n_threads: how many threads run it. static: words outside the heap.
    """
    flow = ValueSets(program, memory, n_threads, static)
    return _Equations(flow, static).solved()


class _Equations:
    """What the instructions demand of the coefficients.

    A *variable* is a definition of a register, or ``-1 - a`` for the word at address a. Those that
    must be equal are one class.
    """

    def __init__(self, flow: ValueSets, static: int) -> None:
        self.flow, self.static = flow, static
        self.parent: dict[int, int] = {}
        self.pinned: dict[int, str] = {}
        self.linear: list[dict[int, int]] = []
        self.moduli: list[tuple[int, int]] = []
        self.remainders: list[tuple[int, int, int, str]] = []
        self.ordered: set[int] = set()
        self.moving: dict[int, int] = {}
        self.written: set[int] = set()
        for a in range(static, len(flow.words)):
            self._pin(-1 - a, "it is on the heap")
        for r in range(len(flow.program.registers)):
            self._pin(flow.n + r, _NUMBER)
        for k in sorted(flow.reaching):
            if flow.matters(k):
                self._row(k, flow.code[k])

    # Classes

    def _class(self, variable: int) -> int:
        while (parent := self.parent.get(variable, variable)) != variable:
            self.parent[variable] = self.parent.get(parent, parent)
            variable = parent
        return variable

    def _equal(self, one: int, other: int, why: str) -> None:
        """Make one class of two; ``why`` says what a number in the other means for one of them."""
        one, other = self._class(one), self._class(other)
        if one != other:
            self.parent[other] = one
            pins = {self.pinned.pop(c) for c in (one, other) if c in self.pinned}
            if pins:
                self.pinned[one] = min(pins - {_NUMBER}, default=why)

    def _pin(self, variable: int, why: str) -> None:
        self.pinned.setdefault(self._class(variable), why)

    # Rows

    def _row(self, k: int, row: list[int]) -> None:
        op, flow = row[0], self.flow
        place = flow.program.places[k]
        where = shown(place.file, place.line)

        def use(column: int) -> int:
            first, *others = flow.definitions(k, row[column])
            for other in others:
                self._equal(first, other, f"it may be a number that the program names ({where})")
            return first

        def fix(column: int, why: str) -> None:
            self._pin(use(column), f"{why} ({where})")

        if b.LOAD <= op <= b.FETCH_XOR:
            fix(2, "it is an address")
            self._access(k, row, use, where)
        elif op in (b.MOV, b.ADDI):
            self._equal(k, use(2), f"it begins with a number that the program names ({where})")
            if op == b.ADDI:
                self.ordered.add(k)
        elif op in (b.NEG, b.INV):
            self.linear.append({k: 1, use(2): 1})
        elif op in ARITHMETIC:
            self._arithmetic(k, row, use, where)
        elif op in COMPARISONS or b.JEQ <= op <= b.JGE:
            self._equal(use(2), use(3), f"it is compared with a number ({where})")
            if op not in (b.EQ, b.NE, b.JEQ, b.JNE):
                self.ordered.add(use(2))
            if op in COMPARISONS:
                self._pin(k, f"it is a comparison's result ({where})")
        else:
            if defines(row):
                self._pin(k, f"it is not counted up ({where})")
            if op == b.MARK and row[1] > Mark.READ_TRY_FAILED:
                return
            for register in _members(uses(row)):
                column = next(c for c in (2, 3, 4, 5) if row[c] == register)
                zero = op in (b.JZ, b.JNZ, b.NOT)
                fix(column, "it is compared with 0" if zero else "its value decides")

    def _access(self, k: int, row: list[int], use: Callable[[int], int], where: str) -> None:
        op, touched = row[0], self.flow.addresses(k)
        variables = [k] if op != b.STORE else []
        if op in (b.STORE, b.SWAP, b.COMPARE_SWAP):
            variables.append(use(4))
        if op == b.COMPARE_SWAP:
            variables.append(use(5))
        words = range(self.static) if touched is None else touched
        if op != b.LOAD:
            self.written.update(words)
        for a in words:
            if touched is None:
                self._pin(-1 - a, f"an address of which nothing is known may be its ({where})")
            for variable in variables:
                self._equal(-1 - a, variable, f"it is set to or compared with a number ({where})")
            if op == b.FETCH_ADD:
                self._pin(use(4), f"it is added to a word ({where})")
            elif op in (b.FETCH_AND, b.FETCH_OR, b.FETCH_XOR):
                how = {b.FETCH_AND: b.AND, b.FETCH_OR: b.OR, b.FETCH_XOR: b.XOR}[op]
                mask = self.flow.constant(k, row[4])
                self._pin(use(4), f"it is a mask ({where})")
                if not self._masked(how, -1 - a, -1 - a, mask):
                    self._pin(-1 - a, f"its bits are changed ({where})")
        if touched is None:
            for variable in variables:
                self._pin(variable, f"it is in a word of which nothing is known ({where})")

    def _masked(self, op: int, result: int, x: int, mask: int | None) -> bool:
        """Bits of x that a constant changes or takes away; False if that fits no group."""
        if mask is None:
            return False
        low = ~mask if op == b.AND else mask
        if low >= 0:  # the bits above stay
            self._equal(result, x, "its bits are changed")
        elif op == b.AND and mask >= 0 and result != x:
            low = mask
            if mask & (mask + 1) == 0:
                self.remainders.append((result, x, mask + 1, "it is a remainder"))
                return True
            self._pin(result, "it is a remainder")
        else:
            return False
        self.moduli.append((x, 1 << low.bit_length()))
        return True

    def _arithmetic(self, k: int, row: list[int], use: Callable[[int], int], where: str) -> None:
        op, x, y = row[0], use(2), use(3)
        left, right = (self.flow.constant(k, row[c]) for c in (2, 3))
        if op in (b.ADD, b.SUB):
            terms: dict[int, int] = defaultdict(int)
            for variable, factor in ((k, 1), (x, -1), (y, -1 if op == b.ADD else 1)):
                terms[variable] += factor
            self.linear.append(dict(terms))
            return
        if left is not None and op in (b.MUL, b.AND, b.OR, b.XOR):
            x, y, right = y, x, left
        if right is not None:
            self._pin(y, "it is a constant")
            if self._by_constant(op, k, x, right, where):
                return
        for variable in (k, x, y):
            self._pin(variable, f"its bits or multiples decide ({where})")

    def _by_constant(self, op: int, k: int, x: int, right: int, where: str) -> bool:
        """The result of x and a constant; False if that fits no group."""
        if op == b.MUL:
            self.linear.append({k: 1, x: -right})
        elif op == b.SHL and 0 <= right < 63:
            self.linear.append({k: 1, x: -(1 << right)})
        elif (op == b.SHR and 0 <= right < 63) or (op == b.FLOORDIV and right > 0):
            self.linear.append({k: 1 << right if op == b.SHR else right, x: -1})
        elif op == b.MOD and right > 0:
            self.remainders.append((k, x, right, f"it is a remainder ({where})"))
        else:
            return op in (b.AND, b.OR, b.XOR) and self._masked(op, k, x, right)
        return True

    # The solution

    def solved(self) -> Shifts:
        """The groups: a basis of the solutions, each with a written word as its anchor."""
        self._settle_remainders()
        rows = [self._by_class(row) for row in self.linear]
        words: dict[int, list[int]] = defaultdict(list)
        for a in range(self.static):
            words[self._class(-1 - a)].append(a)
        used = sorted(
            {c for row in rows for c in row} | {c for c in words if c not in self.pinned},
            key=lambda c: (c in words, c),
        )
        pivots = eliminate(rows, used)
        result = Shifts()
        for free in used:
            anchors = [a for a in words.get(free, []) if a in self.written]
            if free in pivots or not anchors:
                continue
            group = least_whole_solution(free, pivots)
            moduli = [m // gcd(m, c) for v, m in self.moduli if (c := self._of(group, v))]
            result.anchors.append(min(anchors))
            result.steps.append(lcm(1, *moduli))
            result.words.append([self._of(group, -1 - a) for a in range(self.static)])
            result.kept.append(self._kept(group))
            result.lags.append(self._lag(group) if result.steps[-1] == 1 else 0)
        result.moduli.extend(self._moduli())
        for a in range(self.static):
            if not any(group[a] for group in result.words):
                result.reasons[a] = self.pinned.get(self._class(-1 - a), "its differences decide")
        return result

    def _lag(self, group: dict[int, int]) -> int:
        """What the program adds to values of a group altogether, and 1.

        0 if it does more with them than copy, add constants a bounded number of times, compare and
        store: then more than their order can matter.
        """
        added, sources = 0, dict[int, list[int]]()
        if len({*group.values()}) != 1 or min(group.values()) < 0 or group.keys() & self.moving:
            return 0
        for k in filter(self.flow.matters, self.flow.reaching):
            row = self.flow.code[k]
            if row[0] not in (b.MOV, b.ADDI, b.NEG, b.INV, *ARITHMETIC):
                continue
            columns = (2, 3) if row[0] in ARITHMETIC else (2,)
            constants = [self.flow.constant(k, row[c]) for c in columns]
            values = [v for c in columns for v in self.flow.definitions(k, row[c])]
            if not any(self._of(group, v) for v in (k, *values)):
                continue
            if row[0] in (b.ADD, b.SUB) and constants[-1] is not None:
                added += abs(constants[-1])
            elif row[0] == b.ADDI:
                added += abs(row[3])
            elif row[0] != b.MOV:
                return 0
            sources[k] = values
        if any(k in reachable(sources[k], lambda j: sources.get(j, [])) for k in sources):
            return 0
        return added + 1

    def _settle_remainders(self) -> None:
        """Let remainders move of which only equality matters; pin the others."""
        whole = {-1 - a for a in range(len(self.flow.words))} | self.ordered
        whole |= {v for row in self.linear for v in row} | {v for v, _ in self.moduli}
        whole |= {x for _, x, _, _ in self.remainders}
        fixed = {self._class(v) for v in whole} | set(self.pinned)
        by: dict[int, set[int]] = defaultdict(set)
        for result, _, modulus, _ in self.remainders:
            by[self._class(result)].add(modulus)
        for result, x, modulus, why in self.remainders:
            c = self._class(result)
            if c in fixed or len(by[c]) > 1:
                self._pin(result, why)
                self.moduli.append((x, modulus))
            else:
                self.moving[c] = modulus
                self.linear.append({result: 1, x: -1})

    def _by_class(self, row: dict[int, int]) -> dict[int, Fraction]:
        """An equation over classes; those that are pinned are 0."""
        found: dict[int, Fraction] = defaultdict(Fraction)
        for variable, factor in row.items():
            if (c := self._class(variable)) not in self.pinned:
                found[c] += factor
        return {c: f for c, f in found.items() if f}

    def _of(self, group: dict[int, int], variable: int) -> int:
        return group.get(self._class(variable), 0)

    def _kept(self, group: dict[int, int]) -> list[int]:
        """The coefficient of each register that is kept at a row."""
        return [
            max((self._of(group, d) for d in reached), key=abs, default=0)
            for reached in self._entries()
        ] or [0]

    def _moduli(self) -> list[int]:
        """The number modulo which each register moves that is kept at a row, or 0."""
        return [
            max((self.moving.get(self._class(d), 0) for d in reached), default=0)
            for reached in self._entries()
        ]

    def _entries(self) -> Iterable[Iterable[int]]:
        """The definitions that may have set each register that is kept at a row."""
        program, flow = self.flow.program, self.flow
        for k in range(flow.n):
            for register in program.keep[program.keep_start[k] : program.keep_start[k + 1]]:
                yield flow.reaching.get(k, {}).get(register, ())


def _members(mask: int) -> list[int]:
    return [i for i in range(mask.bit_length()) if mask >> i & 1]
