"""Operations: what a ``yield`` performs, one instruction each."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from locksim.compiler.diagnostics import did_you_mean
from locksim.compiler.places import WORD_OPERATIONS, Places
from locksim.compiler.sources import is_method
from locksim.compiler.values import INT, Operand, Ptr, Result, Static, StructAt, Value, WordAt
from locksim.lang import ops
from locksim.lang.ops import ACQ_REL, ACQUIRE, RELAXED, RELEASE, SEQ_CST, Mark, Order
from locksim.lang.struct import Struct

_ANY = (RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST)


@dataclass(frozen=True)
class _Form:
    """How an operation is written.

    Arguments:
        arguments: those before the order. orders: the ones that make sense.
        gives: whether it has a result.
    """

    arguments: tuple[str, ...]
    orders: tuple[Order, ...] = ()
    gives: bool = True


_WORD = {
    "load": _Form((), (RELAXED, ACQUIRE, SEQ_CST)),
    "store": _Form(("value",), (RELAXED, RELEASE, SEQ_CST), gives=False),
    "swap": _Form(("value",), _ANY),
    "compare_swap": _Form(("expected", "desired"), _ANY),
    "fetch_add": _Form(("value",), _ANY),
    "fetch_and": _Form(("value",), _ANY),
    "fetch_or": _Form(("value",), _ANY),
    "fetch_xor": _Form(("value",), _ANY),
}
_FREE = {
    "fence": _Form((), (ACQUIRE, RELEASE, ACQ_REL, SEQ_CST), gives=False),
    "pause": _Form((), gives=False),
    "compute": _Form(("duration_ps",), gives=False),
    "block": _Form((), gives=False),
    "wake": _Form(("cpu_number",), gives=False),
    "switch": _Form(("thread_number",), gives=False),
    "alloc": _Form(("target",)),
    "free": _Form(("pointer",), gives=False),
    "done": _Form((), gives=False),
    "note": _Form(("value",), gives=False),
}
OPERATIONS: dict[object, str] = {getattr(ops, name): name for name in _FREE}
"""The functions that make an operation, by identity: a program may import them under any name."""


@dataclass(frozen=True)
class Callee:
    """What a call calls: a word's operation, another one, a struct's method, or other things."""

    name: str
    word: WordAt | None = None
    struct: StructAt | None = None
    static: object = None

    @property
    def is_operation(self) -> bool:
        """Whether a ``yield`` performs it."""
        return self.word is not None or operation_name(self.static) is not None


def operation_name(thing: object) -> str | None:
    """The operation that a function makes, None for any other object."""
    return next((name for function, name in OPERATIONS.items() if function is thing), None)


class Operations(Places):
    """Compiles what stands behind a ``yield``."""

    def callee(self, call: ast.Call) -> Callee:
        """Find out what is called. The struct or word that it is called on is compiled."""
        function = call.func
        if isinstance(function, ast.Attribute):
            base = self.owner(function.value)
            if isinstance(base, WordAt):
                if function.attr not in WORD_OPERATIONS:
                    self._unknown_operation(base, function)
                return Callee(function.attr, word=base)
            if isinstance(base, StructAt):
                if function.attr in base.type.cls.FIELDS:
                    self.fail(
                        "not-a-value",
                        call,
                        text=self.text(call),
                        suggestion="a field is not called",
                    )
                return Callee(function.attr, struct=base)
            if not isinstance(base, Static):
                self.attribute(function)  # fails with the reason
        elif not isinstance(function, ast.Name):
            self.fail("unknown-call", call, name=self.text(function))
        elif function.id in self.types:
            self.fail("unknown-call", call, name=function.id)
        found = self.eval(function)
        return Callee(
            self.text(function), static=found.object if isinstance(found, Static) else found
        )

    def operation(self, node: ast.Yield, dest: str | None, used: bool) -> Value:
        """A ``yield``: exactly one operation."""
        if node.value is None:
            self.fail("yield-nothing", node)
        if not isinstance(node.value, ast.Call):
            if isinstance(node.value, ast.Attribute | ast.Subscript | ast.Name):
                found = self.eval(node.value)
                if isinstance(found, WordAt):
                    self.as_value(found, node.value)
            self.fail("yield-not-operation", node.value, text=self.text(node.value))
        call = node.value
        callee = self.callee(call)
        if callee.struct is not None:
            signature = self.unit.callee(callee.struct.type, call, callee.name, self.method)
            if signature is None or signature.is_program:
                self.fail("yield-program", node, name=callee.name, text=self.text(call))
        name = callee.name if callee.word else operation_name(callee.static)
        if name is None or callee.struct is not None:
            self.fail("yield-not-operation", call, text=self.text(call))
        form = (_WORD if callee.word else _FREE)[name]
        if used and not form.gives:
            self.fail("no-value", node, name=name)
        given = self._bind(call, name, form)
        order = self._order(given.pop("order", None), name, form)
        if callee.word:
            return self._word_operation(callee.word, name, [*given.values()], order, call, dest)
        return self._free_operation(name, [*given.values()], order, call, dest)

    def _word_operation(
        self,
        at: WordAt,
        name: str,
        given: list[ast.expr],
        order: Order,
        call: ast.Call,
        dest: str | None,
    ) -> Value:
        operands: list[Operand] = []
        for argument in given:
            value = (
                self.value(argument)
                if name in ("store", "swap", "compare_swap")
                else self.number(argument)
            )
            operands.append(value.operand)
        kind = "word" if at.pointer is None else self.kind(at.pointer)
        address = (at.base, kind, [*at.path])
        if name == "store":
            self.emit("STORE", *address, *operands, int(order), node=call)
            return Value(0, INT)
        result = self.register(dest)
        self.emit(name.upper(), result, *address, *operands, int(order), node=call)
        pointer = at.target is not None and not name.startswith("fetch")
        return Value(result, Ptr(at.target) if pointer and at.target else INT)

    def _free_operation(
        self, name: str, given: list[ast.expr], order: Order, call: ast.Call, dest: str | None
    ) -> Value:
        if name == "alloc":
            target = self.struct_class(given[0], name)
            result = self.register(dest)
            self.emit("ALLOC", result, self.unit.type_name(target), node=call)
            return Value(result, Ptr(target))
        values = [self.value(g) if name in ("free", "note") else self.number(g) for g in given]
        if name == "compute" and (values[0].constant or 0) < 0:
            self.fail("negative-time", call, value=values[0].constant)
        if name == "fence":
            self.emit("FENCE", int(order), node=call)
        elif name == "done":
            self.emit("MARK", int(Mark.DONE), 0, node=call)
        elif name == "note":
            self.emit("MARK", int(Mark.NOTE), values[0].operand, node=call)
        else:
            self.emit(name.upper(), *(v.operand for v in values), node=call)
        return Value(0, INT)

    def struct_class(self, node: ast.expr, name: str) -> type[Struct]:
        """A class that is written as an argument."""
        found: Result | None = (
            self.eval(node) if isinstance(node, ast.Name | ast.Attribute) else None
        )
        thing = found.object if isinstance(found, Static) else None
        if not (isinstance(thing, type) and issubclass(thing, Struct)):
            self.fail("type-needed", node, name=name, text=self.text(node))
        return thing

    def _bind(self, call: ast.Call, name: str, form: _Form) -> dict[str, ast.expr]:
        """The arguments by name; Python's own rules for positions and keywords."""
        names = [*form.arguments, *(["order"] if form.orders else [])]
        positional = dict(zip(names, call.args, strict=False))
        keywords = {k.arg or "**": k.value for k in call.keywords}
        given = {**positional, **keywords}
        if any(isinstance(a, ast.Starred) for a in call.args) or "**" in keywords:
            self.fail("star-argument", call)
        if (
            len(call.args) > len(names)
            or not set(keywords) <= set(names)
            or set(keywords) & set(positional)
            or not set(form.arguments) <= set(given)
        ):
            shown = [*form.arguments, *(["ORDER"] if form.orders else [])]
            self.fail("operation-arguments", call, name=name, form=f"{name}({', '.join(shown)})")
        return {n: given[n] for n in names if n in given}

    def _order(self, node: ast.expr | None, name: str, form: _Form) -> Order:
        if node is None:
            return SEQ_CST
        found = self.eval(node) if isinstance(node, ast.Name | ast.Attribute) else None
        order = found.object if isinstance(found, Static) else None
        if not isinstance(order, Order):
            self.fail("not-an-order", node, text=self.text(node))
        if order not in form.orders:
            allowed = ", ".join(o.name for o in form.orders)
            self.fail("bad-order", node, name=name, order=order.name, allowed=allowed)
        return order

    def _unknown_operation(self, base: WordAt, node: ast.Attribute) -> None:
        hint = did_you_mean(node.attr, WORD_OPERATIONS)
        if node.attr in ("fetch_sub", "sub"):
            hint = "write 'fetch_add(-n)'"
        elif base.target is not None and is_method(base.target, node.attr):
            text = self.text(node.value)
            hint = (
                f"load the pointer first: 'node = yield {text}.load()', then 'node.{node.attr}(…)'"
            )
        self.fail("unknown-operation", node, name=node.attr, suggestion=hint)
