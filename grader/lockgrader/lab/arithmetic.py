"""The arithmetic of a lab's formulas: numbers, names, ``+ - * / // % **``, comparisons, two calls.

``abs(x)`` is the absolute value, and ``ones(n)`` how many bits of a whole number are 1.

A formula is an expression of Python, of which nothing else is accepted. (``pandas.eval`` would do,
but costs half a second in each check, and students' installations have no pandas.)
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping

_BINARY: dict[type[ast.operator], Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}
_COMPARISONS: dict[type[ast.cmpop], Callable[[float, float], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}


def evaluate(formula: str, names: Mapping[str, float]) -> float:
    """The value of a formula.

    Arguments:
        formula: its text. names: the value of each name. A comparison is 1 or 0.

    Raises:
        ValueError: it has something that is not arithmetic, or a name without a value.
        SyntaxError: it is not an expression. ArithmeticError: it divides by zero, or overflows.
    """
    return float(_value(ast.parse(formula.strip(), mode="eval").body, names))


def _value(node: ast.expr, names: Mapping[str, float]) -> float:
    match node:
        case ast.Constant(value=int() | float() as value):
            return value
        case ast.Name(id=name) if name in names:
            return names[name]
        case ast.Name(id=name):
            raise ValueError(f"the name '{name}' has no value; there are {', '.join(names)}")
        case ast.UnaryOp(op=ast.USub()):
            return -_value(node.operand, names)
        case ast.BinOp() if type(node.op) in _BINARY:
            return _BINARY[type(node.op)](_value(node.left, names), _value(node.right, names))
        case ast.Compare(ops=[op], comparators=[right]) if type(op) in _COMPARISONS:
            return _COMPARISONS[type(op)](_value(node.left, names), _value(right, names))
        case ast.Call(func=ast.Name(id="abs"), args=[inner], keywords=[]):
            return abs(_value(inner, names))
        case ast.Call(func=ast.Name(id="ones"), args=[inner], keywords=[]):
            return int(_value(inner, names)).bit_count()
    raise ValueError(f"'{ast.unparse(node)}' is not arithmetic")
