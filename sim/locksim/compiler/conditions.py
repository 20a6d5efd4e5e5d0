"""Tests and comparisons: compare-and-branch in one instruction, and truth as a value."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable
from typing import cast

from locksim.compiler.builder import Label
from locksim.compiler.calls import Calls, common
from locksim.compiler.places import number_value
from locksim.compiler.values import INT, NULL_TYPE, Int, Type, Value, describe

Fold = Callable[[int, int], bool]
_COMPARE = {
    ast.Eq: ("EQ", operator.eq),
    ast.NotEq: ("NE", operator.ne),
    ast.Lt: ("LT", operator.lt),
    ast.LtE: ("LE", operator.le),
    ast.Gt: ("GT", operator.gt),
    ast.GtE: ("GE", operator.ge),
}


class Conditions(Calls):
    """Compiles truth."""

    def condition(self, node: ast.expr, yes: Label, no: Label) -> None:
        """Go on at ``yes`` or at ``no``, as Python's truth of the expression says."""
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self.condition(node.operand, no, yes)
        elif isinstance(node, ast.BoolOp):
            for part in node.values[:-1]:
                go_on = Label()
                if isinstance(node.op, ast.And):
                    self.condition(part, go_on, no)
                else:
                    self.condition(part, yes, go_on)
                self.builder.place(go_on)
            self.condition(node.values[-1], yes, no)
        elif isinstance(node, ast.Compare):
            self._chain(node, yes, no)
        else:
            value = self.value(node)
            if value.constant is None:
                self.emit("JNZ", value.operand, yes, node=node)
                self.jump(no, node)
            else:
                self.jump(yes if value.constant else no, node)

    def _chain(self, node: ast.Compare, yes: Label, no: Label) -> None:
        self._known(node)
        left = self.value(node.left)
        for k, (op, right_node) in enumerate(zip(node.ops, node.comparators, strict=True)):
            right = self.value(right_node)
            name, fold = self._comparison(op, left, right, node)
            go_on = yes if k == len(node.ops) - 1 else Label()
            if left.constant is not None and right.constant is not None:
                self.jump(go_on if fold(left.constant, right.constant) else no, node)
            elif name in ("EQ", "NE") and 0 in (left.operand, right.operand):
                tested = right.operand if left.operand == 0 else left.operand
                self.emit("JZ" if name == "EQ" else "JNZ", tested, go_on, node=node)
                self.jump(no, node)
            else:
                self.emit("J" + name, left.operand, right.operand, go_on, node=node)
                self.jump(no, node)
            if go_on is not yes:
                self.builder.place(go_on)
            left = right

    def _comparison(
        self, op: ast.cmpop, left: Value, right: Value, node: ast.Compare
    ) -> tuple[str, Fold]:
        name, fold = _COMPARE[type(op)]
        if name not in ("EQ", "NE"):
            for side, side_node in ((left, node.left), (right, node.comparators[0])):
                if not isinstance(side.type, Int):
                    self.fail("pointer-arithmetic", side_node, text=self.text(side_node))
        return name, cast(Fold, fold)

    def _known(self, node: ast.Compare) -> None:
        """Refuse ``is`` and ``in`` before their operands are looked at."""
        for op in node.ops:
            if isinstance(op, ast.Is | ast.IsNot):
                sides = [self.text(node.left), self.text(node.comparators[0])]
                sign = " == " if isinstance(op, ast.Is) else " != "
                self.fail("is", node, text=sign.join("NULL" if s == "None" else s for s in sides))
            if isinstance(op, ast.In | ast.NotIn):
                self.fail("in", node)

    def comparison(self, node: ast.Compare, dest: str | None) -> Value:
        """A comparison as 1 or 0."""
        self._known(node)
        if len(node.ops) > 1:
            return self._truth(node, dest)
        left, right = self.value(node.left), self.value(node.comparators[0])
        name, fold = self._comparison(node.ops[0], left, right, node)
        if left.constant is not None and right.constant is not None:
            return number_value(fold(left.constant, right.constant))
        result = self.register(dest)
        self.emit(name, result, left.operand, right.operand, node=node)
        return Value(result, INT)

    def _truth(self, node: ast.expr, dest: str | None) -> Value:
        result, yes, no, end = self.scratch(dest, node), Label(), Label(), Label()
        self.condition(node, yes, no)
        self.builder.place(yes)
        self.emit("MOV", result, 1, node=node)
        self.jump(end, node)
        self.builder.place(no)
        self.emit("MOV", result, 0, node=node)
        self.builder.place(end)
        return Value(result, INT)

    def negation(self, node: ast.UnaryOp, dest: str | None) -> Value:
        """``not`` as 1 or 0."""
        value = self.value(node.operand)
        if value.constant is not None:
            return number_value(not value.constant)
        result = self.register(dest)
        self.emit("NOT", result, value.operand, node=node)
        return Value(result, INT)

    def either(self, node: ast.BoolOp, dest: str | None) -> Value:
        """``and`` and ``or`` with Python's values: the operand that decides."""
        result, end = self.scratch(dest, node), Label()
        types: list[Type] = []
        for k, part in enumerate(node.values):
            value = self.value(part, result)
            self.move(result, value, part)
            types.append(value.type)
            if k < len(node.values) - 1:
                op = "JZ" if isinstance(node.op, ast.And) else "JNZ"
                self.emit(op, result, end, node=part)
        self.builder.place(end)
        return Value(result, self._common(types, node))

    def choice(self, node: ast.IfExp, dest: str | None) -> Value:
        """``a if c else b``."""
        result, yes, no, end = self.scratch(dest, node), Label(), Label(), Label()
        self.condition(node.test, yes, no)
        self.builder.place(yes)
        a = self.value(node.body, result)
        self.move(result, a, node.body)
        self.jump(end, node)
        self.builder.place(no)
        b = self.value(node.orelse, result)
        self.move(result, b, node.orelse)
        self.builder.place(end)
        return Value(result, self._common([a.type, b.type], node))

    def _common(self, types: list[Type], node: ast.expr) -> Type:
        kind = common(types)
        if kind is None:
            name, old, new = self.text(node), describe(types[0]), describe(types[-1])
            self.fail("two-types", node, name=name, new=new, old=old)
        return INT if kind == NULL_TYPE else kind
