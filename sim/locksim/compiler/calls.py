"""Calls: programs with ``yield from``, helpers, and the free functions of the language."""

from __future__ import annotations

import ast

from locksim.compiler.diagnostics import Source
from locksim.compiler.emitter import Emitter, Label
from locksim.compiler.operations import Callee, Operands, Operations
from locksim.compiler.sources import MethodSource
from locksim.compiler.unit import Signature, Unit, base_text
from locksim.compiler.values import INT, Int, Ptr, Ref, StructAt, Type, Value, describe
from locksim.lang import ops
from locksim.lang.struct import Struct

FUNCTIONS: dict[object, tuple[str, int]] = {
    ops.cpu: ("CPU", 0),
    ops.thread: ("THREAD", 0),
    ops.node: ("NODE", 0),
    ops.n_cpus: ("NCPUS", 0),
    ops.n_threads: ("NTHREADS", 0),
    ops.now: ("NOW", 0),
    ops.random_below: ("RANDOM", 1),
    ops.random_exponential: ("EXPONENTIAL", 1),
    ops.cast: ("cast", 2),
    int: ("int", 1),
    abs: ("abs", 1),
    min: ("min", 2),
    max: ("max", 2),
}
"""Functions that a program may call for free: the instruction, and how many arguments."""


class Calls:
    """Compiles calls of methods. Owns the list of helpers that the method calls."""

    def __init__(
        self, unit: Unit, method: MethodSource, emitter: Emitter, operands: Operands
    ) -> None:
        self.unit, self.method, self.source = unit, method, method.source
        self.emitter, self.operands = emitter, operands
        self.helpers: set[str] = set()

    def program(
        self, node: ast.YieldFrom, call: ast.Call, callee: Callee, dest: str | None, used: bool
    ) -> Value:
        """``yield from``: another program, to its end."""
        if callee.operation is not None:
            self.source.fail("yield-from-operation", node, text=self.source.code(call))
        if callee.struct is None:
            self.source.fail("yield-from-other", call, text=self.source.code(call))
        return self._method(call, callee.struct, callee.name, dest, used, program=True)

    def helper(self, call: ast.Call, callee: Callee, dest: str | None, used: bool) -> Value:
        """A call of a method without ``yield from``."""
        assert callee.struct is not None
        return self._method(call, callee.struct, callee.name, dest, used, program=False)

    def _method(
        self,
        call: ast.Call,
        target: StructAt,
        name: str,
        dest: str | None,
        used: bool,
        *,
        program: bool,
    ) -> Value:
        pointer = target.type
        signature = self.unit.callee(pointer, call, name, self.method)
        if signature is not None and signature.is_program != program:
            code = "yield-from-helper" if program else "missing-yield-from"
            self.source.fail(code, call, name=name, text=self.source.code(call))
        values = self._arguments(call, name, signature)
        if not program:
            self.helpers.add(name)
        returns: Type | None = INT if signature is None else signature.returns
        if used and returns is None:
            self.source.fail("no-value", call, name=name)
        if isinstance(returns, Ptr) and returns.own:
            returns = pointer.at(returns.path)
        result = self.emitter.register(dest)
        at = (target.base, base_text(target.pointer, self.unit), [*target.path])
        operands = [value.operand for value in values]
        self.emitter.emit("CALL", result, *at, name, operands, node=call)
        return Value(result, returns or INT)

    def _arguments(self, call: ast.Call, name: str, signature: Signature | None) -> list[Value]:
        """The values of a call's arguments, which have to fit the method's."""
        if any(isinstance(a, ast.Starred) for a in call.args):
            self.source.fail("star-argument", call)
        for keyword in call.keywords:
            if keyword.arg is None:
                self.source.fail("star-argument", call)
            text = self.source.code(keyword.value)
            self.source.fail("keyword-argument", call, name=name, text=text)
        if signature is None:
            return [self.operands.value(argument) for argument in call.args]
        names = [n for n, _ in signature.arguments]
        if len(names) != len(call.args):
            self.source.fail(
                "wrong-count",
                call,
                name=name,
                takes=f"{len(names)} argument{'s' * (len(names) != 1)}",
                given=len(call.args),
                form=f"{name}({', '.join(names)})",
            )
        values = []
        for argument, (wanted, kind) in zip(call.args, signature.arguments, strict=True):
            word = isinstance(kind, Ref)
            value = self.operands.word(argument) if word else self.operands.value(argument)
            if not _fits(value, kind):
                self.source.fail(
                    "wrong-type",
                    argument,
                    name=name,
                    wanted=describe(kind),
                    argument=wanted,
                    given=describe(value.type),
                    suggestion=_instead(kind),
                )
            self.emitter.widen(value.type, kind, argument)
            values.append(value)
        return values


def _fits(value: Value, kind: Type) -> bool:
    if isinstance(kind, Ptr):
        if isinstance(value.type, Int):
            return value.type.null
        return isinstance(value.type, Ptr) and issubclass(value.type.cls, kind.cls)
    return value.type == kind if isinstance(kind, Ref) else not isinstance(value.type, Ref)


def _instead(kind: Type) -> str:
    if isinstance(kind, Ptr):
        return f"pass such a pointer, or write cast({kind.cls.__name__}, …)"
    if isinstance(kind, Ref):
        return "pass a word, such as 'self.flags[i]'; one that holds a pointer cannot be passed"
    return "load its value first, or annotate the argument: 'flag: word'"


class Functions:
    """Compiles calls of the free functions: the language's, and a few of Python's."""

    def __init__(
        self, source: Source, emitter: Emitter, operands: Operands, operations: Operations
    ) -> None:
        self.source, self.emitter = source, emitter
        self.operands, self.operations = operands, operations

    def call(self, node: ast.Call, callee: Callee, dest: str | None) -> Value:
        """A call of what ``callee.static`` is, if it is one of ``FUNCTIONS``."""
        name = self._checked(node, callee)
        if name == "cast":
            target = self.operations.struct_class(node.args[0], "cast")
            return Value(self.operands.value(node.args[1], dest).operand, Ptr(target))
        if name == "int":
            return Value(self.operands.value(node.args[0], dest).operand, INT)
        values = [self.operands.number(a) for a in node.args]
        if name in ("min", "max", "abs"):
            return self._branching(node, name, values, dest)
        result = self.emitter.register(dest)
        self.emitter.emit(name, result, *(v.operand for v in values), node=node)
        return Value(result, INT)

    def _checked(self, node: ast.Call, callee: Callee) -> str:
        """The instruction of the function that is called, if it gets its arguments."""
        thing = callee.static
        found = next((v for f, v in FUNCTIONS.items() if f is thing), None)
        if found is None:
            if isinstance(thing, type) and issubclass(thing, Struct):
                text, hint = self.source.code(node), f"write '(yield alloc({callee.name}))'"
                self.source.fail("not-a-value", node, text=text, suggestion=hint)
            if thing is super:
                self.source.fail("super", node)
            self.source.fail("unknown-call", node, name=callee.name)
        name, takes = found
        if len(node.args) != takes or node.keywords:
            shown = ["target", "value"] if name == "cast" else ["a", "b"][:takes]
            form = f"{callee.name}({', '.join(shown)})"
            self.source.fail("operation-arguments", node, name=callee.name, form=form)
        return name

    def _branching(self, node: ast.Call, name: str, values: list[Value], dest: str | None) -> Value:
        """min, max and abs: keep the first unless the second is better."""
        constants = [v.constant for v in values if v.constant is not None]
        if len(constants) == len(values):
            n = {"min": min, "max": max}[name](constants) if name != "abs" else abs(constants[0])
            return Value(n, INT)
        first = values[0].operand
        result, end = self.operands.scratch(node, dest), Label()
        self.emitter.emit("MOV", result, first, node=node)
        if name == "abs":
            self.emitter.emit("JGE", first, 0, end, node=node)
            self.emitter.emit("NEG", result, first, node=node)
        else:
            second = values[1].operand
            jump = "JLE" if name == "min" else "JGE"
            self.emitter.emit(jump, first, second, end, node=node)
            self.emitter.emit("MOV", result, second, node=node)
        self.emitter.place(end)
        return Value(result, INT)
