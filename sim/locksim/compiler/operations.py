"""Operations: what a ``yield`` performs, one instruction each."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Protocol

from locksim.compiler.emitter import Emitter
from locksim.compiler.places import WORD_OPERATIONS
from locksim.compiler.sources import MethodSource, is_method
from locksim.compiler.unit import Unit, base_text
from locksim.compiler.values import INT, Ptr, StructAt, Value, WordAt
from locksim.lang import ops
from locksim.lang.ops import ACQ_REL, ACQUIRE, RELAXED, RELEASE, SEQ_CST, Mark, Order
from locksim.lang.struct import Struct
from lockui.suggest import did_you_mean

_ANY = (RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST)


class Operands(Protocol):
    """The expressions inside an operation, a call or a test: all that these know of expressions."""

    def value(self, node: ast.expr, dest: str | None = None) -> Value:
        """Compile a number or a pointer; a result goes to the register ``dest``, if given."""

    def number(self, node: ast.expr, dest: str | None = None) -> Value:
        """Compile a number."""

    def word(self, node: ast.expr, dest: str | None = None) -> Value:
        """Compile an expression; a word gives its address, anything else its value."""

    def static(self, node: ast.expr) -> object:
        """The class, order or function that a name stands for, None for anything else."""

    def scratch(self, node: ast.expr, dest: str | None) -> str:
        """A register that may be written before the whole of an expression has been read."""


@dataclass(frozen=True)
class _Form:
    """How an operation is written.

    Arguments:
        arguments: those before the order. orders: the ones that make sense.
        gives: whether it has a result. pointers: whether its arguments may be pointers.
    """

    arguments: tuple[str, ...]
    orders: tuple[Order, ...] = ()
    gives: bool = True
    pointers: bool = False

    def text(self, name: str) -> str:
        """The operation as it is written."""
        return f"{name}({', '.join([*self.arguments, *(['ORDER'] if self.orders else [])])})"


WORD_FORMS = {
    "load": _Form((), (RELAXED, ACQUIRE, SEQ_CST)),
    "store": _Form(("value",), (RELAXED, RELEASE, SEQ_CST), gives=False, pointers=True),
    "swap": _Form(("value",), _ANY, pointers=True),
    "compare_swap": _Form(("expected", "desired"), _ANY, pointers=True),
    "fetch_add": _Form(("value",), _ANY),
    "fetch_and": _Form(("value",), _ANY),
    "fetch_or": _Form(("value",), _ANY),
    "fetch_xor": _Form(("value",), _ANY),
}
FREE_FORMS = {
    "fence": _Form((), (ACQUIRE, RELEASE, ACQ_REL, SEQ_CST), gives=False),
    "pause": _Form((), gives=False),
    "compute": _Form(("duration_ps",), gives=False),
    "block": _Form((), gives=False),
    "wake": _Form(("cpu_number",), gives=False),
    "switch": _Form(("thread_number",), gives=False),
    "timer": _Form(("time_ps",), gives=False),
    "alloc": _Form(("target",)),
    "free": _Form(("pointer",), gives=False, pointers=True),
    "done": _Form((), gives=False),
    "doorway": _Form((), gives=False),
    "note": _Form(("value",), gives=False, pointers=True),
}
OPERATIONS: dict[object, str] = {getattr(ops, name): name for name in FREE_FORMS}
"""The functions that make an operation, by identity: a program may import them under any name."""


def operation_name(thing: object) -> str | None:
    """The operation that a function makes, None for any other object."""
    return next((name for function, name in OPERATIONS.items() if function is thing), None)


@dataclass(frozen=True)
class Callee:
    """The target of a call: a word's operation, another one, a struct's method, or other things."""

    name: str
    word: WordAt | None = None
    struct: StructAt | None = None
    static: object = None

    @property
    def operation(self) -> str | None:
        """The operation that a ``yield`` performs with it, None where it is something else."""
        return self.name if self.word is not None else operation_name(self.static)


class Operations:
    """Compiles what stands behind a ``yield``: the forms of all operations, and their orders."""

    def __init__(
        self, unit: Unit, method: MethodSource, emitter: Emitter, operands: Operands
    ) -> None:
        self.unit, self.method, self.source = unit, method, method.source
        self.emitter, self.operands = emitter, operands

    def perform(
        self, node: ast.Yield, call: ast.Call, callee: Callee, dest: str | None, used: bool
    ) -> Value:
        """Compile a ``yield``: exactly one operation.

        Arguments:
            call: what is yielded. callee: what that calls. dest: register of the result, if it
                matters.
            used: whether the program does something with the result.
        """
        if callee.struct is not None:
            signature = self.unit.callee(callee.struct.type, call, callee.name, self.method)
            if signature is None or signature.is_program:
                text = self.source.code(call)
                self.source.fail("yield-program", node, name=callee.name, text=text)
        name = callee.operation
        if name is None:
            self.source.fail("yield-not-operation", call, text=self.source.code(call))
        form = (WORD_FORMS if callee.word else FREE_FORMS)[name]
        if used and not form.gives:
            self.source.fail("no-value", node, name=name)
        given = self._bind(call, name, form)
        order = self._order(given.pop("order", None), name, form)
        if name == "alloc" and not callee.word:
            return self._alloc(given["target"], call, dest)
        compiled = self.operands.value if form.pointers else self.operands.number
        values = [compiled(argument) for argument in given.values()]
        if callee.word:
            return self._on_word(callee.word, name, values, order, call, dest)
        self._free(name, values, order, call)
        return Value(0, INT)

    def _on_word(
        self,
        at: WordAt,
        name: str,
        values: list[Value],
        order: Order,
        call: ast.Call,
        dest: str | None,
    ) -> Value:
        kind = "word" if at.pointer is None else base_text(at.pointer, self.unit)
        operands = (at.base, kind, [*at.path], *(v.operand for v in values), int(order))
        if name == "store":
            self.emitter.emit("STORE", *operands, node=call)
            return Value(0, INT)
        result = self.emitter.register(dest)
        self.emitter.emit(name.upper(), result, *operands, node=call)
        pointer = at.target is not None and not name.startswith("fetch")
        return Value(result, Ptr(at.target) if pointer and at.target else INT)

    def _alloc(self, node: ast.expr, call: ast.Call, dest: str | None) -> Value:
        target = self.struct_class(node, "alloc")
        result = self.emitter.register(dest)
        self.emitter.emit("ALLOC", result, self.unit.type_name(target), node=call)
        return Value(result, Ptr(target))

    def _free(self, name: str, values: list[Value], order: Order, call: ast.Call) -> None:
        """Emit an operation that is on no word and has no result."""
        if name == "compute" and (values[0].constant or 0) < 0:
            self.source.fail("negative-time", call, value=values[0].constant)
        if name == "fence":
            self.emitter.emit("FENCE", int(order), node=call)
        elif name == "done":
            self.emitter.emit("MARK", int(Mark.DONE), 0, node=call)
        elif name == "doorway":
            self.emitter.emit("MARK", int(Mark.DOORWAY), 0, node=call)
        elif name == "note":
            self.emitter.emit("MARK", int(Mark.NOTE), values[0].operand, node=call)
        else:
            self.emitter.emit(name.upper(), *(v.operand for v in values), node=call)

    def struct_class(self, node: ast.expr, name: str) -> type[Struct]:
        """A class that is written as an argument of ``name``."""
        thing = self.operands.static(node)
        if not (isinstance(thing, type) and issubclass(thing, Struct)):
            self.source.fail("type-needed", node, name=name, text=self.source.code(node))
        return thing

    def _bind(self, call: ast.Call, name: str, form: _Form) -> dict[str, ast.expr]:
        """The arguments by name; Python's own rules for positions and keywords."""
        names = [*form.arguments, *(["order"] if form.orders else [])]
        positional = dict(zip(names, call.args, strict=False))
        keywords = {k.arg or "**": k.value for k in call.keywords}
        given = {**positional, **keywords}
        if any(isinstance(a, ast.Starred) for a in call.args) or "**" in keywords:
            self.source.fail("star-argument", call)
        if (
            len(call.args) > len(names)
            or not set(keywords) <= set(names)
            or set(keywords) & set(positional)
            or not set(form.arguments) <= set(given)
        ):
            self.source.fail("operation-arguments", call, name=name, form=form.text(name))
        return {n: given[n] for n in names if n in given}

    def _order(self, node: ast.expr | None, name: str, form: _Form) -> Order:
        if node is None:
            return SEQ_CST
        order = self.operands.static(node)
        if not isinstance(order, Order):
            self.source.fail("not-an-order", node, text=self.source.code(node))
        if order not in form.orders:
            allowed = ", ".join(o.name for o in form.orders)
            self.source.fail("bad-order", node, name=name, order=order.name, allowed=allowed)
        return order

    def word(self, base: WordAt, node: ast.Attribute) -> Callee:  # noqa: RET503 - fail() raises
        """The operation on a word that an attribute names."""
        name = node.attr
        if name in WORD_OPERATIONS:
            return Callee(name, word=base)
        hint = did_you_mean(name, WORD_OPERATIONS)
        if name in ("fetch_sub", "sub"):
            hint = "write 'fetch_add(-n)'"
        elif base.target is not None and is_method(base.target, name):
            text = self.source.code(node.value)
            hint = f"load the pointer first: 'node = yield {text}.load()', then 'node.{name}(…)'"
        self.source.fail("unknown-operation", node, name=name, suggestion=hint)
