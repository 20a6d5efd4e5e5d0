"""gcc's own description of each instruction, as it stands in the assembly (``-dP``).

Before each instruction gcc can write the expression that it stands for, in its register transfer
language: ``(set (mem:SI (reg:DI 0 ax)) (const_int 3))`` is a store of four bytes. So nobody needs
to decode instructions, of whatever processor. GCC Internals, chapter RTL, has the language.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Expression", "Instruction", "instructions", "size_of"]

_TEXT = r'"(?:[^"\\]|\\.)*"'
_ATTRIBUTES = r"\[(?:[^\[\]]|\[(?:[^\[\]]|\[[^\[\]]*\])*\])*\]"
_TOKEN = re.compile(
    rf"{_TEXT}|(?P<vector>\[\s*(?=[(\]]))|(?P<attributes>{_ATTRIBUTES})|<[^>]*>|[()\]]|[^\s()\[\]]+"
)
_HEAD = re.compile(r"[#/]+\((call_insn|insn|jump_insn)\S*(?: +\d+){3,4} (?=\()")
_PLACE = re.compile(rf"\s*({_TEXT}):(\d+)(?::(\d+))?")
_SIZES = {"Q": 1, "H": 2, "S": 4, "D": 8, "T": 16, "O": 32, "X": 64}


@dataclass(slots=True)
class Expression:
    """An expression of gcc's.

    Args:
        code: ``set``, ``mem``, ``plus``. mode: ``DI``: 8 bytes. flags: ``/v``: volatile.
        operands: expressions, numbers and words.
        attributes: what stands in brackets: of a ``mem``, its name in the program and its size.
    """

    code: str
    mode: str = ""
    flags: str = ""
    operands: list[Expression | str] = field(default_factory=list)
    attributes: str = ""

    def parts(self) -> Iterator[Expression]:
        """Yield the operands that are expressions."""
        return (part for part in self.operands if isinstance(part, Expression))


@dataclass(frozen=True, slots=True)
class Instruction:
    """An instruction.

    Args:
        kind: ``insn``, ``call_insn`` or ``jump_insn``. does: what it does.
        first: the line of the assembly on which its description begins. last: on which it ends.
        place: file and line in the program; empty where gcc names none. column: in that line.
    """

    kind: str
    does: Expression
    first: int
    last: int
    place: str
    column: int


def instructions(lines: list[str]) -> Iterator[Instruction]:
    """Yield the instructions of an assembly file, in order.

    Args:
        lines: of the output of ``gcc -S -dP``.

    Raises:
        ValueError: gcc has described one in a way that is not known.
    """
    at = 0
    while at < len(lines):
        head = _HEAD.match(lines[at])
        if not head:
            at += 1
            continue
        first, mark = at, re.match(r"[#/]+", lines[at])
        assert mark is not None
        at += 1
        while at < len(lines) and lines[at].startswith(mark[0]) and not _HEAD.match(lines[at]):
            at += 1
        text = " ".join(line[len(mark[0]) :] for line in lines[first:at])
        does, end = _read(text, head.end() - len(mark[0]))
        place = _PLACE.match(text, end)
        where = f"{place[1][1:-1]}:{place[2]}" if place else ""
        column = int(place[3] or 0) if place else 0
        yield Instruction(head[1], does, first, at - 1, where, column)


def _read(text: str, start: int) -> tuple[Expression, int]:
    """The expression that begins there, and where it ends."""
    open_, words = list[Expression](), 0
    for found in _TOKEN.finditer(text, start):
        token = found[0]
        if token == "(":
            open_.append(Expression(""))
            words = 0
        elif found.lastgroup == "vector":
            open_.append(Expression("vector"))
            words = 1
        elif token in ")]":
            done = open_.pop()
            if not open_:
                return done, found.end()
            open_[-1].operands.append(done.code if done.code[:1] == '"' else done)
            words = 1
        elif found.lastgroup == "attributes":
            open_[-1].attributes = open_[-1].attributes or token[1:-1]
        elif not words:
            head = re.match(r"([\w.]+)((?:/\w)*)(?::(\w+))?$", token)
            open_[-1].code, open_[-1].flags, open_[-1].mode = (
                (head[1], head[2], head[3] or "") if head else (token, "", "")
            )
            words = 1
        elif token[0] != "<":
            open_[-1].operands.append(token)
    raise ValueError(text[start : start + 80])


def size_of(expression: Expression) -> int | None:
    """Return the bytes that a ``mem`` covers, None where gcc does not say."""
    mode = re.fullmatch(r"(?:V(\d+))?([QHSDTOX])[IF]", expression.mode)
    if expression.mode == "XF":
        return 16  # as the language counts it
    if mode:
        return int(mode[1] or 1) * _SIZES[mode[2]]
    named = re.search(r" S(\d+)\b", expression.attributes)
    return int(named[1]) if named else None
