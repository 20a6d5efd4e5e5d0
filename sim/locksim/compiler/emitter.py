"""The instructions of a method while it is compiled: labels, registers and jumps."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from locksim.compiler.diagnostics import Source, Span
from locksim.compiler.values import Ptr, Type, Value, fits


@dataclass(eq=False)
class Label:
    """A place to jump to. ``index`` is its instruction, known once the code is tidied."""

    index: int = -1


@dataclass
class Line:
    """An instruction whose jumps still go to labels and whose registers may change number."""

    op: str
    args: list[Any]
    span: Span


@dataclass
class Emitter:
    """Owns a method's instructions and its temporary registers.

    Temporaries are not shared inside a loop: a loop that writes a register twice is not an idle
    spin, and the engines could not skip it.

    Arguments:
        source: the method's file. names: of the registers that hold variables, ``self`` first.
        widened: pointers to a certain struct that become pointers to any struct of a class, and the
            line where they do. A live program keeps the struct's description there, the bytecode
            does not; so the linker wants the two to be the same.
    """

    source: Source
    names: list[str]
    items: list[Line | Label] = field(default_factory=list)
    n_registers: int = 0
    widened: dict[tuple[Ptr, Ptr], int] = field(default_factory=dict)
    _next: int = 0
    _kept: int = 0

    def __post_init__(self) -> None:
        self.n_registers = self._next = self._kept = len(self.names)

    def emit(self, op: str, *args: object, node: ast.AST | Span) -> None:
        """Add an instruction that comes from a node.

        Raises:
            CompileError: a number does not fit into a register.
        """
        span = node if isinstance(node, Span) else self.source.span(node)
        for n in args:
            if isinstance(n, int) and not fits(n):
                self.source.fail("too-big", span, value=n)
        self.items.append(Line(op, list(args), span))

    def jump(self, label: Label, node: ast.AST) -> None:
        """Go to a label."""
        self.emit("JMP", label, node=node)

    def place(self, *labels: Label) -> None:
        """The labels point to the next instruction."""
        self.items.extend(labels)

    def move(self, dest: str, value: Value, node: ast.AST) -> None:
        """Copy a value, unless it is there already."""
        if value.operand != dest:
            self.emit("MOV", dest, value.operand, node=node)

    def widen(self, given: Type, to: Type, node: ast.AST) -> None:
        """Note that a value of one type is used as one of another."""
        if isinstance(given, Ptr) and isinstance(to, Ptr) and given != to:
            self.widened.setdefault((given, to), self.source.span(node).line)

    def temporary(self) -> str:
        """A register that nothing else uses until the temporaries are released."""
        self._next += 1
        self.n_registers = max(self.n_registers, self._next)
        return f"r{self._next - 1}"

    def register(self, dest: str | None) -> str:
        """The register that is asked for, or a temporary."""
        return dest or self.temporary()

    def keep_temporaries(self) -> None:
        """The temporaries so far stay in use."""
        self._kept = self._next

    def release_temporaries(self) -> None:
        """The temporaries that are not kept may be used again."""
        self._next = self._kept
