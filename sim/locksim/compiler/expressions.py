"""Expressions: arithmetic, folding of constants, and the way to all other values."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable

from locksim.compiler.conditions import Conditions
from locksim.compiler.places import number_value
from locksim.compiler.values import INT, Result, Value

ARITHMETIC: dict[type[ast.operator], tuple[str, Callable[[int, int], int]]] = {
    ast.Add: ("ADD", operator.add),
    ast.Sub: ("SUB", operator.sub),
    ast.Mult: ("MUL", operator.mul),
    ast.FloorDiv: ("FLOORDIV", operator.floordiv),
    ast.Mod: ("MOD", operator.mod),
    ast.BitAnd: ("AND", operator.and_),
    ast.BitOr: ("OR", operator.or_),
    ast.BitXor: ("XOR", operator.xor),
    ast.LShift: ("SHL", operator.lshift),
    ast.RShift: ("SHR", operator.rshift),
}
_REFUSED: dict[type[ast.expr], tuple[str, dict[str, str]]] = {
    ast.Lambda: ("lambda", {}),
    ast.ListComp: ("comprehension", {}),
    ast.SetComp: ("comprehension", {}),
    ast.DictComp: ("comprehension", {}),
    ast.GeneratorExp: ("comprehension", {}),
    ast.NamedExpr: ("walrus", {}),
    ast.JoinedStr: ("string", {}),
    ast.List: ("collection", {"what": "lists"}),
    ast.Tuple: ("collection", {"what": "tuples"}),
    ast.Set: ("collection", {"what": "sets"}),
    ast.Dict: ("collection", {"what": "dictionaries"}),
    ast.Starred: ("star-argument", {}),
    ast.Await: ("async", {}),
    ast.Slice: ("expression", {"what": "slices"}),
}


class Expressions(Conditions):
    """Compiles any expression."""

    def eval(self, node: ast.expr, dest: str | None = None) -> Result:  # noqa: RET503 - fail() raises
        """Compile an expression; a result goes to the register ``dest``, if given."""
        match node:
            case ast.Constant():
                return self._literal(node)
            case ast.Name():
                return self.name(node)
            case ast.Attribute():
                return self.attribute(node)
            case ast.Subscript():
                return self.element(node, dest)
            case ast.Yield():
                return self.operation(node, dest, used=True)
            case ast.YieldFrom():
                return self.program_call(node, dest, used=True)
            case ast.Call():
                return self.call(node, dest)
            case ast.BinOp():
                return self._binary(node, dest)
            case ast.UnaryOp():
                return self._unary(node, dest)
            case ast.Compare():
                return self.comparison(node, dest)
            case ast.BoolOp():
                return self.either(node, dest)
            case ast.IfExp():
                return self.choice(node, dest)
        code, fields = _REFUSED.get(type(node), ("expression", {"what": type(node).__name__}))
        self.fail(code, node, **fields)

    def _literal(self, node: ast.Constant) -> Value:  # noqa: RET503 - fail() raises
        n = node.value
        if isinstance(n, int):
            return self.constant(n, node)
        if isinstance(n, float | complex):
            self.fail("float", node, value=self.text(node))
        if n is None:
            self.fail("none", node)
        if isinstance(n, str | bytes):
            self.fail("string", node)
        self.fail("expression", node, what="'...'")

    def _binary(self, node: ast.BinOp, dest: str | None) -> Value:
        left = self.number(node.left)
        right = self.number(node.right)
        return self.arithmetic(node.op, left, right, node, dest)

    def arithmetic(
        self, op: ast.operator, left: Value, right: Value, node: ast.AST, dest: str | None
    ) -> Value:
        """One operator on two numbers."""
        a, b = left.constant, right.constant
        if isinstance(op, ast.Pow) and a is not None and b is not None and 0 <= b <= 1024:
            return self.constant(a**b, node)
        if isinstance(op, ast.Div):
            self.fail("true-division", node)
        if type(op) not in ARITHMETIC:
            self.fail("power", node, text="**" if isinstance(op, ast.Pow) else "@")
        name, fold = ARITHMETIC[type(op)]
        if name in ("FLOORDIV", "MOD") and b == 0:
            self.fail("division-by-zero", node)
        if name in ("SHL", "SHR") and b is not None and not 0 <= b < 64:
            self.fail("shift-range", node, count=b)
        if a is not None and b is not None:
            return self.constant(fold(a, b), node)
        result = self.register(dest)
        self.emit(name, result, left.operand, right.operand, node=node)
        return Value(result, INT)

    def _unary(self, node: ast.UnaryOp, dest: str | None) -> Value:
        if isinstance(node.op, ast.Not):
            return self.negation(node, dest)
        value = self.number(node.operand)
        if isinstance(node.op, ast.UAdd):
            return value
        n = value.constant
        if n is not None:
            return number_value(-n if isinstance(node.op, ast.USub) else ~n)
        result = self.register(dest)
        name = "NEG" if isinstance(node.op, ast.USub) else "INV"
        self.emit(name, result, value.operand, node=node)
        return Value(result, INT)
