"""Tidying: jumps are made short, registers and labels get their final numbers.

Loops stay contiguous and keep their test at the top: the engines' spin detection and the C emitter
read them so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from locksim.compiler.emitter import Emitter, Label, Line
from locksim.compiler.ir import SIGNATURES, Instr
from locksim.compiler.values import Operand

INVERSE = {"JZ": "JNZ", "JEQ": "JNE", "JLT": "JGE", "JLE": "JGT"}
INVERSE |= {b: a for a, b in INVERSE.items()}
_ENDS = ("JMP", "RET")
_Items = list[Line | Label]


def finished(emitter: Emitter) -> tuple[tuple[Instr, ...], list[str]]:
    """The instructions in their final form, and the name of the variable in each register.

    A temporary register's name is empty. The labels that are left get their index.
    """
    items = list(emitter.items)
    _tidy(items)
    # Only now: a return in the place of a jump would stand in the middle of a loop.
    _return_at_once(items)
    _tidy(items)
    index = 0
    for item in items:
        if isinstance(item, Label):
            item.index = index
        else:
            index += 1
    numbers, names = _numbered(items, emitter)
    lines = [item for item in items if isinstance(item, Line)]
    return tuple(_instr(line, numbers) for line in lines), names


def _tidy(items: _Items) -> None:
    while _drop_unreachable(items) or _thread(items) or _invert(items) or _drop_idle(items):
        pass


def _drop_unreachable(items: _Items) -> bool:
    """Drop what no path from the first instruction reaches, and labels that no jump needs."""
    where = {item: k for k, item in enumerate(items) if isinstance(item, Label)}
    reached: set[int] = set()
    needed: set[Label] = set()
    todo = [0]
    while todo:
        k = todo.pop()
        if k in reached or k >= len(items):
            continue
        reached.add(k)
        item = items[k]
        if isinstance(item, Label) or item.op not in _ENDS:
            todo.append(k + 1)
        if isinstance(item, Line) and item.args and _is_label(item.args[-1]):
            needed.add(item.args[-1])
            todo.append(where[item.args[-1]])
    kept = [
        item
        for k, item in enumerate(items)
        if k in reached and (not isinstance(item, Label) or item in needed)
    ]
    changed = len(kept) < len(items)
    items[:] = kept
    return changed


def _jumps(items: _Items) -> Iterator[tuple[Line, int, Line]]:
    """Every jump, the position that it goes to, and the instruction there."""
    for item in items:
        if isinstance(item, Line) and item.args and _is_label(item.args[-1]):
            at = _target(items, item.args[-1])
            target = items[at] if at < len(items) else None
            if isinstance(target, Line) and target is not item:
                yield item, at, target


def _thread(items: _Items) -> bool:
    """A jump to a jump goes to the last target directly."""
    changed = False
    for item, at, target in _jumps(items):
        # A jump to itself is an endless loop, not a way to somewhere.
        if target.op == "JMP" and _target(items, target.args[0]) != at:
            item.args[-1] = target.args[0]
            changed = True
    return changed


def _return_at_once(items: _Items) -> None:
    """A jump to a return returns."""
    for item, _, target in _jumps(items):
        if target.op == "RET" and item.op == "JMP":
            item.op, item.args, item.span = "RET", list(target.args), target.span


def _invert(items: _Items) -> bool:
    """``if c goto A; goto B; A:`` is ``if not c goto B``."""
    for k in range(len(items) - 2):
        first, second = items[k], items[k + 1]
        if (
            isinstance(first, Line)
            and isinstance(second, Line)
            and first.op in INVERSE
            and second.op == "JMP"
            and _target(items, first.args[-1]) == _next(items, k + 2)
        ):
            first.op, first.args[-1] = INVERSE[first.op], second.args[0]
            del items[k + 1]
            return True
    return False


def _drop_idle(items: _Items) -> bool:
    """A jump to the next instruction."""
    for k, item in enumerate(items):
        if isinstance(item, Line) and item.op in ("JMP", *INVERSE):
            if _target(items, item.args[-1]) == _next(items, k + 1):
                del items[k]
                return True
    return False


def _target(items: _Items, label: Label) -> int:
    """Position among the items of the first instruction after a label."""
    return _next(items, items.index(label))


def _next(items: _Items, at: int) -> int:
    while at < len(items) and isinstance(items[at], Label):
        at += 1
    return at


def _is_label(operand: object) -> bool:
    return isinstance(operand, Label)


def _numbered(items: _Items, emitter: Emitter) -> tuple[dict[str, str], list[str]]:
    """New numbers for the registers: variables, then temporaries still in use."""
    used = {r for i in items if isinstance(i, Line) for r in _registers(i)}
    variables = emitter.names
    numbers: dict[str, str] = {}
    names: list[str] = []
    for old in range(emitter.n_registers):
        if old < len(variables) or f"r{old}" in used:
            numbers[f"r{old}"] = f"r{len(names)}"
            names.append(variables[old] if old < len(variables) else "")
    return numbers, names


def _registers(line: Line) -> list[str]:
    found: list[Operand] = []
    for role, operand in zip(SIGNATURES[line.op], line.args, strict=True):
        if role in ("d", "a", "base"):
            found.append(operand)
        elif role == "args":
            found.extend(operand)
    return [o for o in found if isinstance(o, str) and o.startswith("r")]


def _instr(line: Line, numbers: dict[str, str]) -> Instr:
    """A line with the final register numbers and instruction indexes."""

    def one(role: str, operand: Any) -> Any:
        if role == "label":
            return operand.index
        if role == "args":
            return [numbers.get(o, o) for o in operand]
        return numbers.get(operand, operand) if role in ("d", "a", "base") else operand

    args = tuple(one(r, o) for r, o in zip(SIGNATURES[line.op], line.args, strict=True))
    return Instr(line.op, args, line.span.line, line.span.column, line.span.end_column)
