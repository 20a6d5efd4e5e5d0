"""Loops that end by themselves: they count to a number that no other thread can change.

Every other loop has to perform an operation in each iteration, or simulated time could stand still
forever. A counted loop needs none: ``for i in range(n): if i != me: …``.

The instructions alone show whether a loop is counted, so bytecode from a document is held to the
same rule. The loop is entered at its head only. Its last two instructions add a constant to the
counter and go back. The counter is compared with its end at the head, or in the jump back. Nothing
else in the loop writes either of them. The start and the end are *known*: they are constants,
parameters, ``cpu()``, ``thread()``, ``node()``, ``n_cpus()``, ``n_threads()``, counters of counted
loops, or computed from these. An argument is known if every caller passes such a number. A number
from memory is not: it may be anything, and no engine can be stopped between two operations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from locksim.compiler.control_flow import label, successors
from locksim.compiler.ir import Instr
from locksim.compiler.spin import defines

Operand = str | int

MOST = 1 << 20
"""The largest number that a counted loop may start from or end at."""

_NUMBERS = frozenset(["CPU", "THREAD", "NODE", "NCPUS", "NTHREADS"]) | {
    *("MOV", "NEG", "INV", "NOT"),
    *("ADD", "SUB", "MUL", "FLOORDIV", "MOD", "AND", "OR", "XOR", "SHL", "SHR"),
    *("EQ", "NE", "LT", "LE", "GT", "GE"),
}
"""Instructions that compute a number from operands, or ask where the thread runs."""


class Counted:
    """The counted loops of a method.

    Arguments:
        instrs: the method's.
        arguments: its arguments and ``r0`` as registers, and whether they are known.
        number: gives the number of an operand that is not a register, None if it is not known yet.

    Attributes:
        forms: the loops that have the form of a counted one, by their last instruction: counter,
            end, and the instruction that compares them. Whether the loop starts and ends at known
            numbers is another matter.
        back: the last instructions of the counted loops.
    """

    def __init__(
        self,
        instrs: Sequence[Instr],
        arguments: Mapping[str, bool],
        number: Callable[[Operand], int | None],
    ) -> None:
        self.instrs, self.arguments, self.number = instrs, arguments, number
        self.jumps = [(k, to) for k, i in enumerate(instrs) if (to := label(i)) is not None]
        self.before: list[list[int]] = [[] for _ in instrs]
        for k in range(len(instrs)):
            for to in successors(instrs, k):
                if to < len(instrs):
                    self.before[to].append(k)
        self.forms: dict[int, tuple[str, Operand, int]] = {}
        for last, head in self.jumps:
            form = self._form(head, last) if head < last else None
            if form is not None:
                self.forms[last] = form
        self._answers: dict[int, bool] = {}
        self.back = {
            last
            for last, head in self.jumps
            if last in self.forms and self._is_short(head, *self.forms[last])
        }

    def _form(self, head: int, last: int) -> tuple[str, Operand, int] | None:
        """Counter, end and comparison of a loop that counts, None for any other loop."""
        add, back = self.instrs[last - 1], self.instrs[last]
        if any(head < to <= last and not head <= k <= last for k, to in self.jumps):
            return None  # entered elsewhere
        if add.op != "ADD" or any(to == last for _, to in self.jumps):
            return None
        counter, old, step = add.args
        if counter != old or not isinstance(step, int) or step == 0:
            return None
        at = head if back.op == "JMP" else last
        test, signs = self.instrs[at], ("JGE", "JLE") if at == head else ("JLT", "JGT")
        if test.op != signs[step < 0] or test.args[0] != counter:
            return None
        if at == head and head <= test.args[2] <= last:
            return None
        end = test.args[1]
        written = [defines(self.instrs[k]) for k in range(head, last + 1)]
        if written.count(counter) != 1 or end in written:
            return None
        return counter, end, at

    def _is_short(self, head: int, counter: str, end: Operand, at: int) -> bool:
        """Whether a loop that counts starts and ends at known numbers."""
        return self.is_known(counter, head) and self.is_known(end, at)

    def is_known(self, operand: Operand, at: int) -> bool:
        """Whether an operand is a number that the program itself determines, and not a large one.

        Arguments:
            operand: a register, a parameter or a number. at: the instruction that reads it.
        """
        if isinstance(operand, str) and operand.startswith("r"):
            return all(
                self.arguments.get(operand, False) if k is None else self._writes_known(k)
                for k in self._writers(operand, at)
            )
        number = self.number(operand)
        return number is None or abs(number) <= MOST

    def _writers(self, register: str, at: int) -> set[int | None]:
        """The instructions whose result an instruction may read in a register; None: the caller."""
        found: set[int | None] = set()
        todo: list[int | None] = [*self.before[at]] if at else [None, *self.before[at]]
        seen: set[int | None] = set()
        while todo:
            k = todo.pop()
            if k in seen:
                continue
            seen.add(k)
            if k is None or defines(self.instrs[k]) == register:
                found.add(k)
            else:
                todo += self.before[k] if k else [None, *self.before[k]]
        return found

    def _writes_known(self, k: int) -> bool:
        """Whether an instruction writes a known number; one that depends on itself does not."""
        if k not in self._answers:
            self._answers[k] = False
            instr, (counter, end, at) = self.instrs[k], self.forms.get(k + 1, ("", 0, 0))
            if counter == instr.args[0]:
                self._answers[k] = self.is_known(end, at)  # a counter stops at its end
            else:
                self._answers[k] = instr.op in _NUMBERS and all(
                    self.is_known(a, k) for a in instr.args[1:]
                )
        return self._answers[k]
