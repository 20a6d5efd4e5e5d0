"""What an operation's operands are made of: numbers, and values that earlier steps have read.

Every register has a term, a text: a number, or what the thread has computed from values that it
read, in which ``$3`` is the value that step 3 found (steps count from 0). Sums, differences,
products and bitwise operations are kept as such. What comes of anything else is a number.
"""

from __future__ import annotations

from collections.abc import Sequence

from locksim.checker.models import layout as m
from locksim.checker.models.model import Model
from locksim.compiler import bytecode as b

LONGEST = 60
"""Characters of a term; what is longer becomes a number."""
_OPERANDS = {
    b.STORE: 1,
    b.SWAP: 1,
    b.COMPARE_SWAP: 2,
    b.FETCH_ADD: 1,
    b.FETCH_AND: 1,
    b.FETCH_OR: 1,
    b.FETCH_XOR: 1,
}
_READS = (b.LOAD, *(op for op in _OPERANDS if op != b.STORE))
_BINARY = {b.ADD: "+", b.SUB: "-", b.MUL: "*", b.AND: "&", b.OR: "|", b.XOR: "^"}
_SETS = (
    *(*range(b.MOV, b.GE + 1), b.INDEX),
    *(*range(b.CPU, b.RANDOM + 1), *range(b.NTHREADS, b.NODE + 1)),
)


class Dataflow:
    """The terms of all threads' registers along a path.

    Arguments:
        model: of what. regs: the registers of the thread that runs.
    """

    def __init__(self, model: Model, regs: list[int]) -> None:
        self.model, self.regs, self.thread = model, regs, 0
        self.terms: list[dict[int, str]] = [{} for _ in model.threads]

    def operands(self, row: Sequence[int]) -> list[str]:
        """The operands of the operation at which a thread rests; ``row`` is the thread's."""
        code, t = self.model.program.code[row[m.PC]], self.model.tables
        first, end = t.keep_start[row[m.PC]], t.keep_start[row[m.PC] + 1]
        values = dict(zip(t.keep[first:end], row[m.REGISTERS :], strict=False))
        terms = self.terms[row[m.THREAD]]
        registers = code[4 : 4 + _OPERANDS.get(code[0], 0)]
        return [
            terms.get(r, str(values.get(r, self.model.program.registers[r]))) for r in registers
        ]

    def begin(self, step: int, row: Sequence[int]) -> None:
        """A thread takes a step: what it reads is the step's value."""
        self.thread = row[m.THREAD]
        code = self.model.program.code[row[m.PC]]
        if code[0] in _READS:
            self.terms[self.thread][code[1]] = f"${step}"
        elif code[0] in (b.RANDOM, b.ALLOC):
            self.terms[self.thread].pop(code[1], None)

    def ran(self, pc: int) -> None:
        """The thread comes to a row of register code, whose operands are as they are before it."""
        code, terms = self.model.program.code[pc], self.terms[self.thread]
        if code[0] not in _SETS:
            return
        term = self._term(code) if any(r in terms for r in code[2:4]) else ""
        if term and len(term) <= LONGEST:
            terms[code[1]] = term
        else:
            terms.pop(code[1], None)

    def _term(self, code: Sequence[int]) -> str:
        """The term of what a row computes from a term, or ""."""
        if code[0] == b.MOV:
            return self._of(code[2])
        if code[0] == b.ADDI:
            return f"{self._inside(code[2])} + {code[3]}" if code[3] else self._of(code[2])
        if code[0] == b.NEG:
            return f"0 - {self._inside(code[2])}"
        if code[0] in _BINARY:
            return f"{self._inside(code[2])} {_BINARY[code[0]]} {self._inside(code[3])}"
        return ""

    def _of(self, register: int) -> str:
        return self.terms[self.thread].get(register, str(self.regs[register]))

    def _inside(self, register: int) -> str:
        term = self._of(register)
        return f"({term})" if " " in term else term
