"""Instructions as they are written down: labels, registers, and the tidying of jumps.

Loops stay contiguous and keep their test at the top: the engines' spin detection and the C printer
read them so. Temporaries are not shared inside a loop, since a loop that writes a register twice
can not be skipped over.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from locksim.compiler.diagnostics import Span
from locksim.compiler.ir import SIGNATURES, Instr
from locksim.compiler.values import Operand

INVERSE = {"JZ": "JNZ", "JEQ": "JNE", "JLT": "JGE", "JLE": "JGT"}
INVERSE |= {b: a for a, b in INVERSE.items()}
_ENDS = ("JMP", "RET")


@dataclass(eq=False)
class Label:
    """A place to jump to."""

    index: int = -1


@dataclass
class _Line:
    op: str
    args: list[Any]
    span: Span


@dataclass
class Builder:
    """A method's instructions in the making.

    Arguments:
        names: of the registers that hold variables, ``self`` first.
    """

    names: list[str]
    items: list[_Line | Label] = field(default_factory=list)
    next_temporary: int = 0
    n_registers: int = 0

    def __post_init__(self) -> None:
        self.next_temporary = self.n_registers = len(self.names)

    def temporary(self) -> str:
        """A register that nothing else uses until the temporaries are given back."""
        self.next_temporary += 1
        self.n_registers = max(self.n_registers, self.next_temporary)
        return f"r{self.next_temporary - 1}"

    def emit(self, op: str, *args: Any, span: Span) -> None:
        """Add an instruction."""
        self.items.append(_Line(op, list(args), span))

    def place(self, label: Label) -> None:
        """The next instruction is where the label points."""
        self.items.append(label)

    def jump(self, label: Label, span: Span) -> None:
        """Jump always."""
        self.emit("JMP", label, span=span)

    def finish(self) -> tuple[tuple[Instr, ...], list[str]]:
        """The tidy instructions, labels numbered, and the names of the registers in use."""
        self._tidy()
        # Only now: a return in the place of a jump would stand in the middle of a loop.
        self._return_at_once()
        self._tidy()
        index = 0
        for item in self.items:
            if isinstance(item, Label):
                item.index = index
            else:
                index += 1
        numbers, names = self._registers()
        made = []
        for item in self.items:
            if isinstance(item, _Line):
                args = _final(item, numbers)
                made.append(
                    Instr(item.op, args, item.span.line, item.span.column, item.span.end_column)
                )
        return tuple(made), names

    # Tidying

    def _tidy(self) -> None:
        while self._drop_unreachable() or self._thread() or self._invert() or self._drop_idle():
            pass

    def _target(self, label: Label) -> int:
        """Position among the items of the first instruction after a label."""
        at = self.items.index(label)
        while at < len(self.items) and isinstance(self.items[at], Label):
            at += 1
        return at

    def _drop_unreachable(self) -> bool:
        """What no path from the first instruction leads to, and labels that no jump needs."""
        where = {item: k for k, item in enumerate(self.items) if isinstance(item, Label)}
        reached: set[int] = set()
        needed: set[Label] = set()
        todo = [0]
        while todo:
            k = todo.pop()
            if k in reached or k >= len(self.items):
                continue
            reached.add(k)
            item = self.items[k]
            if isinstance(item, Label) or item.op not in _ENDS:
                todo.append(k + 1)
            if isinstance(item, _Line) and item.args and _is_label(item.args[-1]):
                needed.add(item.args[-1])
                todo.append(where[item.args[-1]])
        kept = [
            item
            for k, item in enumerate(self.items)
            if k in reached and (not isinstance(item, Label) or item in needed)
        ]
        changed = len(kept) < len(self.items)
        self.items = kept
        return changed

    def _jumps(self) -> Iterator[tuple[_Line, int, _Line]]:
        """Every jump, the position that it goes to, and the instruction there."""
        for item in self.items:
            if isinstance(item, _Line) and item.args and _is_label(item.args[-1]):
                at = self._target(item.args[-1])
                target = self.items[at] if at < len(self.items) else None
                if isinstance(target, _Line) and target is not item:
                    yield item, at, target

    def _thread(self) -> bool:
        """A jump to a jump goes on at once."""
        changed = False
        for item, at, target in self._jumps():
            # A jump to itself is an endless loop, not a way to somewhere.
            if target.op == "JMP" and self._target(target.args[0]) != at:
                item.args[-1] = target.args[0]
                changed = True
        return changed

    def _return_at_once(self) -> None:
        """A jump to a return returns."""
        for item, _, target in self._jumps():
            if target.op == "RET" and item.op == "JMP":
                item.op, item.args, item.span = "RET", list(target.args), target.span

    def _invert(self) -> bool:
        """``if c goto A; goto B; A:`` is ``if not c goto B``."""
        for k in range(len(self.items) - 2):
            first, second = self.items[k], self.items[k + 1]
            if (
                isinstance(first, _Line)
                and isinstance(second, _Line)
                and first.op in INVERSE
                and second.op == "JMP"
                and self._target(first.args[-1]) == _next(self.items, k + 2)
            ):
                first.op, first.args[-1] = INVERSE[first.op], second.args[0]
                del self.items[k + 1]
                return True
        return False

    def _drop_idle(self) -> bool:
        """A jump to the next instruction."""
        for k, item in enumerate(self.items):
            if isinstance(item, _Line) and item.op in ("JMP", *INVERSE):
                if self._target(item.args[-1]) == _next(self.items, k + 1):
                    del self.items[k]
                    return True
        return False

    def _registers(self) -> tuple[dict[str, str], list[str]]:
        """New numbers for the registers: variables, then temporaries still in use."""
        used = {r for i in self.items if isinstance(i, _Line) for r in _registers(i)}
        numbers: dict[str, str] = {}
        names: list[str] = []
        for old in range(self.n_registers):
            if old < len(self.names) or f"r{old}" in used:
                numbers[f"r{old}"] = f"r{len(names)}"
                names.append(self.names[old] if old < len(self.names) else "")
        return numbers, names


def _next(items: list[_Line | Label], at: int) -> int:
    while at < len(items) and isinstance(items[at], Label):
        at += 1
    return at


def _is_label(operand: object) -> bool:
    return isinstance(operand, Label)


def _registers(line: _Line) -> list[str]:
    found: list[Operand] = []
    for role, operand in zip(SIGNATURES[line.op], line.args, strict=True):
        if role in ("d", "a", "base"):
            found.append(operand)
        elif role == "args":
            found.extend(operand)
    return [o for o in found if isinstance(o, str) and o.startswith("r")]


def _final(line: _Line, numbers: dict[str, str]) -> tuple[Any, ...]:
    """Operands with the final register numbers and instruction indexes."""

    def one(role: str, operand: Any) -> Any:
        if role == "label":
            return operand.index
        if role == "args":
            return [numbers.get(o, o) for o in operand]
        return numbers.get(operand, operand) if role in ("d", "a", "base") else operand

    return tuple(one(r, o) for r, o in zip(SIGNATURES[line.op], line.args, strict=True))
