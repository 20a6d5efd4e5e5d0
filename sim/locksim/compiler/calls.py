"""Calls: programs with ``yield from``, helpers, and the free functions of the language."""

from __future__ import annotations

import ast

from locksim.compiler.builder import Label
from locksim.compiler.operations import Callee, Operations
from locksim.compiler.values import INT, Int, Operand, Ptr, StructAt, Type, Value, describe, join
from locksim.lang import ops
from locksim.lang.struct import Struct

FUNCTIONS: dict[object, tuple[str, int]] = {
    ops.cpu: ("CPU", 0),
    ops.thread: ("THREAD", 0),
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


class Calls(Operations):
    """Compiles calls."""

    def program_call(self, node: ast.YieldFrom, dest: str | None, used: bool) -> Value:
        """``yield from``: another program, to its end."""
        call = node.value
        if not isinstance(call, ast.Call):
            if isinstance(call, ast.Attribute):
                self.eval(call)
            self.fail("yield-from-other", call, text=self.text(call))
        callee = self.callee(call)
        if callee.is_operation:
            self.fail("yield-from-operation", node, text=self.text(call))
        if callee.struct is None:
            self.fail("yield-from-other", call, text=self.text(call))
        return self._method(call, callee.struct, callee.name, dest, used, program=True)

    def call(self, node: ast.Call, dest: str | None, used: bool = True) -> Value:
        """A call without ``yield``."""
        callee = self.callee(node)
        if callee.is_operation:
            yielded = f"(yield {self.text(node)})" if used else f"yield {self.text(node)}"
            self.fail("missing-yield", node, text=self.text(node), yielded=yielded)
        if callee.struct is not None:
            return self._method(node, callee.struct, callee.name, dest, used, program=False)
        return self._function(node, callee, dest)

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
        pointer, text = target.type, self.text(call)
        signature = self.unit.callee(pointer, call, name, self.method)
        if signature is not None and signature.is_program != program:
            self.fail(
                "yield-from-helper" if program else "missing-yield-from", call, name=name, text=text
            )
        if any(isinstance(a, ast.Starred) for a in call.args):
            self.fail("star-argument", call)
        for keyword in call.keywords:
            if keyword.arg is None:
                self.fail("star-argument", call)
            self.fail("keyword-argument", call, name=name, text=self.text(keyword.value))
        types: list[Type] = [INT] * len(call.args)
        if signature is not None:
            types = [t for _, t in signature.arguments]
            if len(types) != len(call.args):
                names = [n for n, _ in signature.arguments]
                self.fail(
                    "wrong-count",
                    call,
                    name=name,
                    takes=f"{len(names)} argument{'s' * (len(names) != 1)}",
                    given=len(call.args),
                    form=f"{name}({', '.join(names)})",
                )
        operands: list[Operand] = []
        for k, (argument, kind) in enumerate(zip(call.args, types, strict=True)):
            value = self.value(argument)
            if isinstance(kind, Ptr) and not self._fits(value, kind):
                self.fail(
                    "wrong-type",
                    argument,
                    name=name,
                    wanted=describe(kind),
                    argument=signature.arguments[k][0] if signature else "",
                    given=describe(value.type),
                    suggestion=f"pass such a pointer, or write cast({kind.cls.__name__}, …)",
                )
            operands.append(value.operand)
        if not program:
            self.helpers.add(name)
        returns: Type | None = INT if signature is None else signature.returns
        if used and returns is None:
            self.fail("no-value", call, name=name)
        if isinstance(returns, Ptr) and returns.own:
            returns = pointer.at(returns.path)
        result = self.register(dest)
        self.emit(
            "CALL",
            result,
            target.base,
            self.kind(target.pointer),
            [*target.path],
            name,
            operands,
            node=call,
        )
        return Value(result, returns or INT)

    def _fits(self, value: Value, kind: Ptr) -> bool:
        if isinstance(value.type, Int):
            return value.type.null
        return isinstance(value.type, Ptr) and issubclass(value.type.cls, kind.cls)

    def _function(self, node: ast.Call, callee: Callee, dest: str | None) -> Value:
        thing = callee.static
        found = next((v for f, v in FUNCTIONS.items() if f is thing), None)
        if found is None:
            if isinstance(thing, type) and issubclass(thing, Struct):
                self.fail(
                    "not-a-value",
                    node,
                    text=self.text(node),
                    suggestion=f"write '(yield alloc({callee.name}))'",
                )
            self.fail("unknown-call", node, name=callee.name)
        name, takes = found
        if len(node.args) != takes or node.keywords:
            shown = ["target", "value"] if name == "cast" else ["a", "b"][:takes]
            self.fail(
                "operation-arguments",
                node,
                name=callee.name,
                form=f"{callee.name}({', '.join(shown)})",
            )
        if name == "cast":
            target = self.struct_class(node.args[0], "cast")
            return Value(self.value(node.args[1], dest).operand, Ptr(target))
        if name == "int":
            return Value(self.value(node.args[0], dest).operand, INT)
        if name in ("min", "max", "abs"):
            return self._branching(node, name, dest)
        operands = [self.number(a).operand for a in node.args]
        result = self.register(dest)
        self.emit(name, result, *operands, node=node)
        return Value(result, INT)

    def _branching(self, node: ast.Call, name: str, dest: str | None) -> Value:
        """min, max and abs: keep the first unless the second is better."""
        values = [self.number(a) for a in node.args]
        constants = [v.constant for v in values if v.constant is not None]
        if len(constants) == len(values):
            n = {"min": min, "max": max}[name](constants) if name != "abs" else abs(constants[0])
            return Value(n, INT)
        first = values[0].operand
        result, end = self.scratch(dest, node), Label()
        self.emit("MOV", result, first, node=node)
        if name == "abs":
            self.emit("JGE", first, 0, end, node=node)
            self.emit("NEG", result, first, node=node)
        else:
            second = values[1].operand
            self.emit("JLE" if name == "min" else "JGE", first, second, end, node=node)
            self.emit("MOV", result, second, node=node)
        self.builder.place(end)
        return Value(result, INT)


def common(types: list[Type]) -> Type | None:
    """The type of an expression that is one of several; None where they do not go together."""
    kind: Type | None = types[0]
    for other in types[1:]:
        kind = None if kind is None else join(kind, other)
    return kind
