"""What every stage of a method's compilation shares: registers, types, and how to fail."""

from __future__ import annotations

import ast
from abc import abstractmethod
from dataclasses import dataclass
from typing import NoReturn, Protocol

from locksim.compiler.builder import Builder, Label
from locksim.compiler.diagnostics import Span
from locksim.compiler.sources import MethodSource
from locksim.compiler.values import (
    INT,
    Int,
    Operand,
    Ptr,
    Ref,
    Result,
    StructAt,
    Type,
    Value,
    WordAt,
    describe,
    fits,
    join,
)
from locksim.lang.struct import Struct


@dataclass(frozen=True)
class Signature:
    """How a method is called.

    Arguments:
        arguments: name and type of each after self. returns: type of the result, None if there is
            none.
    """

    name: str
    is_program: bool
    arguments: tuple[tuple[str, Type], ...]
    returns: Type | None


class Unit(Protocol):
    """The class that a method is compiled for."""

    cls: type[Struct]

    def callee(
        self, pointer: Ptr, call: ast.Call, name: str, caller: MethodSource
    ) -> Signature | None:
        """The signature of a method; None if only the linker can know it."""

    def type_name(self, cls: type[Struct]) -> str:
        """The name of a class in the bytecode."""


class Context:
    """A method in the making."""

    def __init__(self, unit: Unit, method: MethodSource, arguments: dict[str, Type]) -> None:
        self.unit, self.method, self.source = unit, method, method.source
        self.arguments = arguments
        self.locals = _locals(method.node, arguments)
        self.types: dict[str, Type | None] = {**arguments, **dict.fromkeys(self.locals)}
        self.helpers: set[str] = set()
        self.inferring = True
        self.reset()

    def reset(self) -> None:
        """Start the method anew; the types of its variables stay."""
        names = ["self", *self.arguments, *self.locals]
        self.registers = {name: f"r{i}" for i, name in enumerate(names)}
        self.builder = Builder(names)
        self.loops: list[tuple[Label, Label]] = []
        self.heads: list[tuple[Label, ast.stmt]] = []
        self.returned: list[tuple[ast.Return, Type | None]] = []
        self.floor = self.builder.next_temporary

    # Failing

    def fail(self, code: str, node: ast.AST | Span, **fields: object) -> NoReturn:
        """Raise a kind of the catalogue at a node."""
        self.source.fail(code, node, **fields)

    def text(self, node: ast.AST) -> str:
        """The source of an expression."""
        return self.source.code(node)

    # Instructions

    def emit(self, op: str, *args: object, node: ast.AST | Span) -> None:
        """Add an instruction that comes from a node."""
        span = node if isinstance(node, Span) else self.source.span(node)
        for n in args:
            if isinstance(n, int) and not fits(n):
                self.fail("too-big", span, value=n)
        self.builder.emit(op, *args, span=span)

    def jump(self, label: Label, node: ast.AST) -> None:
        """Go to a label."""
        self.builder.jump(label, self.source.span(node))

    def register(self, dest: str | None) -> str:
        """The register that is asked for, or a temporary."""
        return dest or self.builder.temporary()

    def move(self, dest: str, value: Value, node: ast.AST) -> None:
        """Copy a value, unless it is there already."""
        if value.operand != dest:
            self.emit("MOV", dest, value.operand, node=node)

    def scratch(self, dest: str | None, node: ast.AST) -> str:
        """A register that may be written before the whole of an expression has been read."""
        used = {self.registers.get(n.id) for n in ast.walk(node) if isinstance(n, ast.Name)}
        return self.builder.temporary() if dest is None or dest in used else dest

    # Types

    def kind(self, pointer: Ptr) -> str:
        """The type of a base, as the bytecode writes it."""
        root = "self" if pointer.own else self.unit.type_name(pointer.root)
        return ".".join([root, *pointer.path])

    def type_text(self, kind: Type) -> str:
        """The type of an argument or a result, as the bytecode writes it."""
        if isinstance(kind, Ptr):
            return f"ptr:{self.kind(kind)}"
        if isinstance(kind, Ref):
            return f"ref:ptr:{self.unit.type_name(kind.target)}" if kind.target else "ref:int"
        return "int"

    def unify(self, name: str, new: Type, node: ast.AST) -> None:
        """A variable is given a value of a type: they have to go together."""
        old = self.types[name]
        joined = new if old is None else join(old, new)
        if joined is None:
            self.fail("two-types", node, name=name, new=describe(new), old=describe(old))
        self.types[name] = joined

    # What later stages give

    @abstractmethod
    def eval(self, node: ast.expr, dest: str | None = None) -> Result:
        """Compile an expression; a result goes to the register ``dest``, if given."""

    @abstractmethod
    def condition(self, node: ast.expr, yes: Label, no: Label) -> None:
        """Compile a test that goes on at one label or the other."""

    def value(self, node: ast.expr, dest: str | None = None) -> Value:
        """Compile an expression that has to be a number or a pointer."""
        return self.as_value(self.eval(node, dest), node, dest)

    def number(self, node: ast.expr, dest: str | None = None) -> Value:
        """Compile an expression that has to be a number."""
        value = self.value(node, dest)
        if not isinstance(value.type, Int):
            self.fail("pointer-arithmetic", node, text=self.text(node))
        return value

    def as_value(self, result: Result, node: ast.AST, dest: str | None = None) -> Value:  # noqa: RET503 - fail() raises
        """A result as something that a register can hold; a word has to be loaded first."""
        text = self.text(node)
        if isinstance(result, Value):
            return result
        if isinstance(result, StructAt):
            if not result.path:
                return Value(result.base, result.type)
            at: Operand = self.register(dest)
            self.emit("ADDR", at, result.base, self.kind(result.pointer), [*result.path], node=node)
            return Value(at, result.type)
        if isinstance(result, WordAt):
            self.fail("load-needed", node, text=text)
        self.fail("not-a-value", node, text=text, suggestion=_suggest(result))

    def reference(self, word: WordAt, dest: str, node: ast.AST) -> Value:
        """The address of a word, in a register."""
        kind = Ref(word.target)
        if word.pointer is None:
            return Value(word.base, kind)
        self.emit("ADDR", dest, word.base, self.kind(word.pointer), [*word.path], node=node)
        return Value(dest, kind)

    def type_of(self, name: str) -> Type:
        """A variable's type."""
        return self.types[name] or INT


def _suggest(result: Result) -> str:
    if isinstance(result, StructAt | Value | WordAt):
        return "load it"
    thing = getattr(result, "object", None)
    if isinstance(thing, type):
        return f"make one with alloc({thing.__name__}), or point to one"
    return "index it" if thing is None else "call it, or use a number"


def _locals(node: ast.FunctionDef, arguments: dict[str, Type]) -> list[str]:
    """The variables of a method in the order in which they are first assigned."""
    stored = [n for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]
    stored.sort(key=lambda n: (n.lineno, n.col_offset))
    return [n for n in dict.fromkeys(s.id for s in stored) if n not in arguments and n != "self"]
