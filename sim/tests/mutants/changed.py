"""Structs of the library with one small change of their text.

A store, a fence or a call is deleted; an order is weakened; a condition is negated, or a branch
always or never taken; one of two conditions is left out; a comparison is off by one; a constant is
another; ``pause`` and ``block`` are exchanged.
"""

from __future__ import annotations

import ast
import inspect
from collections import Counter
from collections.abc import Iterator

from mutants.mutant import Mutant

from locksim.compiler.orders import Operation, operations
from locksim.lang.ops import Order
from locksim.library.registry import Entry

NEAR = {ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">"}
"""A comparison → the one that differs where both sides are equal."""
EXCHANGED = {"pause": "block", "block": "pause"}
IDLE = ("compute", "done", "doorway", "note")
"""Operations that change nothing that a proof is about."""

Place = tuple[ast.expr | ast.stmt, str, str]
"""A part of the program, what stands there instead, and what that is called."""


def changed(entry: Entry) -> Iterator[Mutant]:
    """A struct with each change of a method that stands in its module, one at a time.

    Arguments:
        entry: of the library.
    """
    module = inspect.getmodule(entry.struct)
    assert module is not None
    text = inspect.getsource(module)
    lines = text.splitlines()
    orders = {op.position: op for op in operations(entry.struct)}
    ordered = {at[1:]: op for at, op in orders.items() if at[0] == inspect.getfile(module)}
    for owner in ast.parse(text).body:
        for method in owner.body if isinstance(owner, ast.ClassDef) else ():
            if not isinstance(method, ast.FunctionDef):
                continue
            times: Counter[tuple[str, str]] = Counter()
            for node, new, change in _places(method, ordered):
                line = lines[node.lineno - 1].strip()
                times[line, change] += 1
                number = times[line, change]
                yield Mutant(
                    entry.name,
                    f"{owner.name}.{method.name}",
                    line,
                    change + f" ({number})" * (number > 1),
                    _replaced(text, node, new),
                    entry.struct.__name__,
                )


def _places(method: ast.FunctionDef, ordered: dict[tuple[int, int], Operation]) -> Iterator[Place]:
    """What can be changed in a method, in the order of the syntax tree.

    Arguments:
        ordered: line and column → the operation that begins there.
    """
    for statement in method.body:
        for node in ast.walk(statement):
            if isinstance(node, ast.Call) and (node.lineno, node.col_offset) in ordered:
                yield from _orders(node, ordered[node.lineno, node.col_offset])
            yield from _changes(node)


def _changes(node: ast.AST) -> Iterator[Place]:
    match node:
        case ast.Expr(value=ast.Yield(value=ast.Call(func=ast.Name(id="pause" | "block" as name)))):
            yield node, f"yield {EXCHANGED[name]}()", f"{EXCHANGED[name]}()"
        case ast.Expr(value=ast.Yield(value=ast.Call(func=ast.Name(id=name)))) if name in IDLE:
            pass
        case ast.Expr(value=ast.Yield() | ast.YieldFrom()) | ast.AugAssign():
            yield node, "pass", "deleted"
        case ast.If(test=test) | ast.IfExp(test=test):
            yield test, f"not ({ast.unparse(test)})", "condition negated"
            yield test, "1", "condition always true"
            yield test, "0", "condition never true"
        case ast.While(test=test) if not isinstance(test, ast.Constant):
            yield test, f"not ({ast.unparse(test)})", "condition negated"
            yield test, "0", "condition never true"
        case ast.BoolOp(values=[first, second]):
            yield node, f"({ast.unparse(first)})", "without the second condition"
            yield node, f"({ast.unparse(second)})", "without the first condition"
        case ast.Compare(left=left, ops=[op], comparators=[right]) if type(op) in NEAR:
            near = NEAR[type(op)]
            yield node, f"{ast.unparse(left)} {near} {ast.unparse(right)}", f"{near}"
        case ast.Constant(value=int() as value) if not isinstance(value, bool):
            other = 1 - value if value in (0, 1) else value + 1
            yield node, str(other), f"{value} -> {other}"


def _orders(call: ast.Call, operation: Operation) -> Iterator[Place]:
    """An operation with each next weaker order. A fence that goes is a statement deleted."""
    rest = [a for a in call.args if not (isinstance(a, ast.Name) and a.id in Order.__members__)]
    for order in operation.next_weaker(operation.order):
        if isinstance(order, Order):
            arguments = ", ".join([*map(ast.unparse, rest), order.name])
            change = f"{operation.order.name} -> {order.name}"
            yield call, f"{ast.unparse(call.func)}({arguments})", change


def _replaced(text: str, node: ast.expr | ast.stmt, new: str) -> str:
    """A text with something else in the place of a part of its syntax tree."""
    lines = text.splitlines(keepends=True)
    end_line = node.end_lineno or node.lineno
    first, last = lines[node.lineno - 1].encode(), lines[end_line - 1].encode()
    begin, end = first[: node.col_offset], last[node.end_col_offset :]
    lines[node.lineno - 1 : end_line] = [begin.decode() + new + end.decode()]
    return "".join(lines)
