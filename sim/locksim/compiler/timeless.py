"""Ways through a method on which no time passes, and the loops that they close.

Simulated time would stand still forever in a loop that performs no operation, and no engine can be
stopped between two operations. So every way around a loop has to take time, unless the loop counts
(:mod:`locksim.compiler.counted`).

Many programs keep a flag: ``taken = 0; while not taken: …``. The instructions alone do not show
that such a loop is entered, or that ``taken = 1`` ends it. So a way carries the constants that its
own instructions have put into registers, and those that its tests have shown. They decide tests
further on. Only copies, comparisons and ``not`` are computed: sums would make the ways infinite. A
way begins anew, without constants, after each instruction that takes time and after each jump back
of a counted loop.
"""

from __future__ import annotations

from collections.abc import Sequence

from locksim.compiler.control_flow import cycle, label, reachable, successors
from locksim.compiler.counted import Counted
from locksim.compiler.ir import COMPARISONS, TIMED, Instr
from locksim.compiler.spin import defines
from locksim.lang.ops import SEQ_CST

_Constants = frozenset[tuple[str, int]]
"""Registers and the numbers that they hold."""
_Node = tuple[int, _Constants]
"""An instruction, and the constants before it."""

MOST_NODES = 10_000
"""Nodes of a method; where there would be more, no constants are followed."""

_FOLDED = frozenset(["MOV", "NOT", *COMPARISONS])
_TESTS = frozenset(["JZ", "JNZ", *(f"J{op}" for op in COMPARISONS)])


def takes_time(instr: Instr) -> bool:
    """Whether an instruction takes time by itself; a call may do so in the callee."""
    return instr.op in TIMED or (instr.op == "FENCE" and instr.args[0] == SEQ_CST)


class Timeless:
    """The ways through a method on which no time passes.

    Arguments:
        counted: the method's instructions and its counted loops.
        timed: for each instruction, whether it takes time.
    """

    def __init__(self, counted: Counted, timed: Sequence[bool]) -> None:
        self._counted, self._timed, self._instrs = counted, timed, counted.instrs
        self._followed = _deciding(self._instrs)
        self._number: dict[_Node, int] = {}
        self._after: list[list[int]] = []
        if not self._walk():
            self._followed = set()
            self._walk()

    @property
    def returns(self) -> bool:
        """Whether the method can return before time passes."""
        return any(self._instrs[k].op == "RET" for k in self.reached())

    def reached(self) -> set[int]:
        """The instructions that control can reach from the method's first before time passes."""
        nodes = list(self._number)
        return {nodes[n][0] for n in reachable([0], self._after.__getitem__)}

    def loop(self) -> list[int]:
        """The instructions of a loop that can repeat without time passing, the head first.

        Of nested loops it is the inner one. Without such a loop the list is empty.
        """
        nodes = list(self._number)
        heads = {to for k, i in enumerate(self._instrs) if (to := label(i)) is not None and to <= k}
        for head in sorted(heads, reverse=True):
            # A cycle closes at its lowest instruction.
            ways = [
                [
                    to
                    for to in after
                    if nodes[to][0] >= head and not (k in self._counted.back and nodes[to][0] <= k)
                ]
                for (k, _), after in zip(nodes, self._after, strict=True)
            ]
            found = cycle(ways, (n for n, (k, _) in enumerate(nodes) if k == head))
            if found:
                return sorted({nodes[n][0] for n in found})
        return []

    def _walk(self) -> bool:
        """Find all nodes; False if they are too many."""
        nothing: _Constants = frozenset()
        starts = [0, *(k + 1 for k, t in enumerate(self._timed) if t)]
        todo = [(k, nothing) for k in starts if k < len(self._instrs)]
        self._number = {node: n for n, node in enumerate(todo)}
        self._after = []
        # Nodes are numbered in the order in which they are found, and walked in that order.
        for node in todo:
            after = [] if self._timed[node[0]] else self._next(*node)
            for to in after:
                if to not in self._number:
                    self._number[to] = len(self._number)
                    todo.append(to)
            self._after.append([self._number[to] for to in after])
            if self._followed and len(todo) > MOST_NODES:
                return False
        return True

    def _next(self, k: int, constants: _Constants) -> list[_Node]:
        """The nodes that can follow one."""
        instr, target = self._instrs[k], label(self._instrs[k])
        values = dict(constants)
        if instr.op in _TESTS and target is not None:
            found = []
            for to, jumps in ((k + 1, False), (target, True)):
                shown = self._shown(instr, jumps, values)
                if shown is not None:
                    found.append(self._node(k, to, shown))
            return found
        written = defines(instr)
        if written is not None:
            number = self._result(instr, values)
            values.pop(written, None)
            if number is not None:
                values[written] = number
        return [self._node(k, to, values) for to in successors(self._instrs, k)]

    def _node(self, k: int, to: int, values: dict[str, int]) -> _Node:
        """The node that instruction ``k`` goes to."""
        if k in self._counted.back and to <= k:
            return to, frozenset()
        return to, frozenset((r, v) for r, v in values.items() if r in self._followed)

    def _value(self, operand: str | int, values: dict[str, int]) -> int | None:
        if isinstance(operand, int):
            return operand
        if operand.startswith("r"):
            return values.get(operand)
        return self._counted.number(operand)

    def _result(self, instr: Instr, values: dict[str, int]) -> int | None:
        """The number that an instruction computes, if it is known."""
        if instr.op not in _FOLDED:
            return None
        numbers = [self._value(a, values) for a in instr.args[1:]]
        if instr.op in COMPARISONS:
            a, b = numbers
            return None if a is None or b is None else int(COMPARISONS[instr.op](a, b))
        (one,) = numbers
        return int(not one) if instr.op == "NOT" and one is not None else one

    def _shown(self, instr: Instr, jumps: bool, values: dict[str, int]) -> dict[str, int] | None:
        """The constants after a test that jumps or does not; None if it cannot go that way."""
        operands = instr.args[:-1] if len(instr.args) == 3 else (instr.args[0], 0)
        op = {"JZ": "EQ", "JNZ": "NE"}.get(instr.op, instr.op[1:])
        a, b = (self._value(o, values) for o in operands)
        if a is not None and b is not None:
            return values if COMPARISONS[op](a, b) == jumps else None
        if (op, jumps) in (("EQ", True), ("NE", False)):
            number = b if a is None else a
            unknown = operands[0] if a is None else operands[1]
            if number is not None and isinstance(unknown, str) and unknown.startswith("r"):
                return {**values, unknown: number}
        return values


def _deciding(instrs: Sequence[Instr]) -> set[str]:
    """The registers that decide tests, and those that they are computed from."""
    found = {a for i in instrs if i.op in _TESTS for a in i.args[:-1] if isinstance(a, str)}
    while True:
        sources = {
            a
            for i in instrs
            if i.op in _FOLDED and i.args[0] in found
            for a in i.args[1:]
            if isinstance(a, str)
        }
        if sources <= found:
            return {r for r in found if r.startswith("r")}
        found |= sources
