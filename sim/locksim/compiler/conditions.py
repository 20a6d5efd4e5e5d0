"""Tests and comparisons: compare-and-branch in one instruction, and truth as a value."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import cast

from locksim.compiler.diagnostics import Source
from locksim.compiler.emitter import Emitter, Label
from locksim.compiler.operations import Operands
from locksim.compiler.values import (
    INT,
    NULL_TYPE,
    Int,
    Type,
    Value,
    describe,
    join,
    number_value,
)

Fold = Callable[[int, int], bool]
_COMPARE = {
    ast.Eq: ("EQ", operator.eq),
    ast.NotEq: ("NE", operator.ne),
    ast.Lt: ("LT", operator.lt),
    ast.LtE: ("LE", operator.le),
    ast.Gt: ("GT", operator.gt),
    ast.GtE: ("GE", operator.ge),
}


class Conditions:
    """Compiles truth: what a branch asks, and the values of ``not``, ``and``, ``or``, ``if``."""

    def __init__(self, source: Source, emitter: Emitter, operands: Operands) -> None:
        self.source, self.emitter, self.operands = source, emitter, operands

    def branch(self, node: ast.expr, yes: Label, no: Label) -> None:
        """Go on at ``yes`` or at ``no``, as Python's truth of the expression says."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.branch(node.operand, no, yes)
        elif isinstance(node, ast.BoolOp):
            for part in node.values[:-1]:
                go_on = Label()
                if isinstance(node.op, ast.And):
                    self.branch(part, go_on, no)
                else:
                    self.branch(part, yes, go_on)
                self.emitter.place(go_on)
            self.branch(node.values[-1], yes, no)
        elif isinstance(node, ast.Compare):
            self._chain(node, yes, no)
        else:
            value = self.operands.value(node)
            if value.constant is None:
                self.emitter.emit("JNZ", value.operand, yes, node=node)
                self.emitter.jump(no, node)
            else:
                self.emitter.jump(yes if value.constant else no, node)

    def _chain(self, node: ast.Compare, yes: Label, no: Label) -> None:
        self._known(node)
        left = self.operands.value(node.left)
        for k, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
            right = self.operands.value(right_node)
            name, fold = self._comparison(op, left, right, node)
            go_on = yes if k == len(node.ops) - 1 else Label()
            if left.constant is not None and right.constant is not None:
                holds = fold(left.constant, right.constant)
                self.emitter.jump(go_on if holds else no, node)
            else:
                if name in ("EQ", "NE") and 0 in (left.operand, right.operand):
                    tested = right.operand if left.operand == 0 else left.operand
                    jump = "JZ" if name == "EQ" else "JNZ"
                    self.emitter.emit(jump, tested, go_on, node=node)
                else:
                    self.emitter.emit("J" + name, left.operand, right.operand, go_on, node=node)
                self.emitter.jump(no, node)
            if go_on is not yes:
                self.emitter.place(go_on)
            left = right

    def _comparison(
        self, op: ast.cmpop, left: Value, right: Value, node: ast.Compare
    ) -> tuple[str, Fold]:
        name, fold = _COMPARE[type(op)]
        if name not in ("EQ", "NE"):
            for side, side_node in ((left, node.left), (right, node.comparators[0])):
                if not isinstance(side.type, Int):
                    text = self.source.code(side_node)
                    self.source.fail("pointer-arithmetic", side_node, text=text)
        return name, cast(Fold, fold)

    def _known(self, node: ast.Compare) -> None:
        """Refuse ``is`` and ``in`` before their operands are compiled."""
        for op in node.ops:
            if isinstance(op, ast.Is | ast.IsNot):
                sides = [self.source.code(n) for n in (node.left, node.comparators[0])]
                sign = " == " if isinstance(op, ast.Is) else " != "
                text = sign.join("NULL" if s == "None" else s for s in sides)
                self.source.fail("is", node, text=text)
            if isinstance(op, ast.In | ast.NotIn):
                self.source.fail("in", node)

    def comparison(self, node: ast.Compare, dest: str | None) -> Value:
        """A comparison as 1 or 0."""
        self._known(node)
        if len(node.ops) > 1:
            return self._truth(node, dest)
        left, right = self.operands.value(node.left), self.operands.value(node.comparators[0])
        name, fold = self._comparison(node.ops[0], left, right, node)
        if left.constant is not None and right.constant is not None:
            return number_value(fold(left.constant, right.constant))
        result = self.emitter.register(dest)
        self.emitter.emit(name, result, left.operand, right.operand, node=node)
        return Value(result, INT)

    def _truth(self, node: ast.expr, dest: str | None) -> Value:
        result, yes, no, end = self.operands.scratch(node, dest), Label(), Label(), Label()
        self.branch(node, yes, no)
        self.emitter.place(yes)
        self.emitter.emit("MOV", result, 1, node=node)
        self.emitter.jump(end, node)
        self.emitter.place(no)
        self.emitter.emit("MOV", result, 0, node=node)
        self.emitter.place(end)
        return Value(result, INT)

    def negation(self, node: ast.UnaryOp, dest: str | None) -> Value:
        """``not`` as 1 or 0."""
        value = self.operands.value(node.operand)
        if value.constant is not None:
            return number_value(not value.constant)
        result = self.emitter.register(dest)
        self.emitter.emit("NOT", result, value.operand, node=node)
        return Value(result, INT)

    def either(self, node: ast.BoolOp, dest: str | None) -> Value:
        """``and`` and ``or`` with Python's values: the operand that decides."""
        result, end = self.operands.scratch(node, dest), Label()
        types: list[Type] = []
        for k, part in enumerate(node.values):
            types.append(self._into(result, part))
            if k < len(node.values) - 1:
                op = "JZ" if isinstance(node.op, ast.And) else "JNZ"
                self.emitter.emit(op, result, end, node=part)
        self.emitter.place(end)
        return Value(result, self._common(types, node))

    def choice(self, node: ast.IfExp, dest: str | None) -> Value:
        """``a if c else b``."""
        result, yes, no, end = self.operands.scratch(node, dest), Label(), Label(), Label()
        self.branch(node.test, yes, no)
        self.emitter.place(yes)
        a = self._into(result, node.body)
        self.emitter.jump(end, node)
        self.emitter.place(no)
        b = self._into(result, node.orelse)
        self.emitter.place(end)
        return Value(result, self._common([a, b], node))

    def _into(self, result: str, node: ast.expr) -> Type:
        """Compile an expression into a register; its type."""
        value = self.operands.value(node, result)
        self.emitter.move(result, value, node)
        return value.type

    def _common(self, types: list[Type], node: ast.expr) -> Type:
        """The one type of an expression that has one of several."""
        kind: Type | None = types[0]
        for other in types[1:]:
            kind = None if kind is None else join(kind, other)
        for one in types:
            self.emitter.widen(one, kind or INT, node)
        if kind is None:
            name, old, new = self.source.code(node), describe(types[0]), describe(types[-1])
            self.source.fail("two-types", node, name=name, new=new, old=old)
        return INT if kind == NULL_TYPE else kind
