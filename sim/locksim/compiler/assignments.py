"""Assignments: which variable is written, and what is moved into its register."""

from __future__ import annotations

import ast
from typing import NoReturn

from locksim.compiler.calls import FUNCTIONS
from locksim.compiler.emitter import Emitter
from locksim.compiler.expressions import Expressions
from locksim.compiler.operations import operation_name
from locksim.compiler.sources import MISSING, MethodSource
from locksim.compiler.values import NULL_TYPE, StructAt, Value, WordAt
from locksim.compiler.variables import Variables
from locksim.lang import ops
from locksim.lang.fields import param


class Assignments:
    """Compiles assignments to variables, and refuses all others: memory is written by a store."""

    def __init__(
        self,
        method: MethodSource,
        variables: Variables,
        emitter: Emitter,
        expressions: Expressions,
    ) -> None:
        self.method, self.source = method, method.source
        self.variables, self.emitter, self.expressions = variables, emitter, expressions

    def assign(self, node: ast.Assign) -> None:
        """``a = …``, ``a = b = …``."""
        if len(node.targets) == 1:
            self.one(node.targets[0], node.value)
            return
        value = self.expressions.value(node.value)
        for target in node.targets:
            self._put(target, value, node.value)

    def one(self, target: ast.expr, node: ast.expr) -> None:
        """One target: a variable, or a tuple of variables."""
        if isinstance(target, ast.Tuple | ast.List):
            self._unpack(target, node)
            return
        register = self.variable(target, node)
        self._put(target, self.expressions.word(node, register), node)

    def augmented(self, node: ast.AugAssign) -> None:
        """``a += …``."""
        register = self.variable(node.target, node.value)
        assert isinstance(node.target, ast.Name)
        read = ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target)
        left, right = self.expressions.number(read), self.expressions.number(node.value)
        value = self.expressions.arithmetic(node.op, left, right, node, register)
        self._put(node.target, value, node.value)

    def _put(self, target: ast.expr, value: Value, node: ast.expr) -> None:
        register = self.variable(target, node)
        assert isinstance(target, ast.Name)
        kind = NULL_TYPE if value.operand == 0 else value.type
        self.variables.unify(target.id, kind, target)
        self.emitter.widen(kind, self.variables.type_of(target.id), node)
        self.emitter.move(register, value, node)

    def _unpack(self, target: ast.Tuple | ast.List, node: ast.expr) -> None:
        given = node.elts if isinstance(node, ast.Tuple | ast.List) else [node]
        if len(given) != len(target.elts):
            self.source.fail("unpack", node, names=len(target.elts), values=len(given))
        registers = [self.variable(t, node) for t in target.elts]
        values = [self.expressions.value(g) for g in given]
        for k, value in enumerate(values):
            if value.operand in registers[:k]:
                copy = self.emitter.temporary()
                self.emitter.emit("MOV", copy, value.operand, node=given[k])
                values[k] = Value(copy, value.type)
        for one, value, source in zip(target.elts, values, given, strict=True):
            self._put(one, value, source)

    def variable(self, target: ast.expr, node: ast.expr) -> str:
        """The register of the variable that is assigned to.

        Arguments:
            target: what is assigned to. node: what it is given, for messages.
        """
        if not isinstance(target, ast.Name):
            self._refuse(target, node)
        if target.id == "self":
            self.source.fail("assign-self", target)
        refuse_hiding(target.id, target, self.method)
        return self.variables.registers[target.id]

    def _refuse(self, target: ast.expr, node: ast.expr) -> NoReturn:
        text = self.source.code(target)
        if isinstance(target, ast.Attribute):
            base = self.expressions.owner(target.value)
            if isinstance(base, StructAt):
                self._refuse_field(base, target, node)
        elif isinstance(target, ast.Subscript):
            if isinstance(self.expressions.result(target), WordAt):
                self.source.fail("store-needed", target, text=text, value=self.source.code(node))
        self.source.fail("target", target, text=text)

    def _refuse_field(self, base: StructAt, target: ast.Attribute, node: ast.expr) -> NoReturn:
        text = self.source.code(target)
        if isinstance(base.type.cls.FIELDS.get(target.attr), param):
            what = "a param is fixed when the struct is made"
            self.source.fail("assign-field", target, text=text, what=what)
        found = self.expressions.places.field(base, target)
        if isinstance(found, WordAt):
            self.source.fail("store-needed", target, text=text, value=self.source.code(node))
        what = "it is a part of the struct" if isinstance(found, StructAt) else "it is a constant"
        self.source.fail("assign-field", target, text=text, what=what)


def refuse_hiding(name: str, node: ast.AST, method: MethodSource) -> None:
    """Refuse a variable that hides a word of the language.

    ``node`` may be hidden: it is what a place in a queue is called.
    """
    found = method.lookup(name)
    if found is MISSING or found is ops.node:
        return
    if operation_name(found) is not None or any(f is found for f in (*FUNCTIONS, range)):
        method.source.fail("shadow", node, name=name)
