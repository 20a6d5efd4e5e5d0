"""What an assertion asked for, and what it found: ``count is 1, expected 2``."""

from __future__ import annotations

import ast
import linecache

from locksim.checker.models.program import Program
from locksim.compiler import bytecode as b
from locksim.lang.ops import Order

_WORDS = ("load", "swap", "compare_swap", "fetch_add", "fetch_and", "fetch_or", "fetch_xor")


def asserted(program: Program, pc: int, regs: list[int]) -> str:
    """Why an assertion fails.

    Arguments:
        program: whose. pc: the row of the assertion. regs: the registers when it fails.
    """
    place = program.places[pc]
    test = _test(place.file, place.line)
    if test is None:
        return "an assertion failed"
    code, made = program.code[pc], program.code[pc - 1]
    # The row before has computed what is asserted, unless it was known before or took a branch.
    computed = made[1] == code[2] and made[1] not in made[2:4]
    if computed and isinstance(test, ast.Compare) and b.EQ <= made[0] <= b.GE:
        return _compared(test, int(regs[made[2]]), int(regs[made[3]]))
    if computed and isinstance(test, ast.UnaryOp) and made[0] == b.NOT:
        return _is(test.operand, int(regs[made[2]]), "0")
    if not isinstance(test, ast.Compare | ast.UnaryOp | ast.BoolOp | ast.IfExp):
        return _is(test, int(regs[code[2]]), "1")
    return f"an assertion failed: {_text(test)}"


def _compared(test: ast.Compare, left: int, right: int) -> str:
    sides, values = (test.left, test.comparators[0]), (left, right)
    if not isinstance(test.ops[0], ast.Eq):
        names = [_text(side) for side in sides]
        known = [f"{n} is {v}" for n, v in zip(names, values, strict=True) if n != str(v)]
        return f"{' and '.join(known)}, expected {_text(test)}"
    if isinstance(sides[0], ast.Constant):
        sides, values = sides[::-1], values[::-1]
    name = _text(sides[1])
    expected = str(values[1]) if name == str(values[1]) else f"{values[1]}, as {name} is"
    return _is(sides[0], values[0], expected)


def _is(node: ast.expr, value: int, expected: str) -> str:
    text = _text(node)
    returned = isinstance(node, ast.Yield | ast.YieldFrom) and text.endswith(")")
    return f"{text} {'returned' if returned else 'is'} {value}, expected {expected}"


class _Readable(ast.NodeTransformer):
    """Without what the language needs and a reader does not: ``yield``, ``self``, orders."""

    def visit_Yield(self, node: ast.Yield) -> ast.AST:
        """An operation: a load is named by its word."""
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            if call.func.attr == "load":
                word: ast.AST = self.visit(call.func.value)
                return word
            if call.func.attr in _WORDS:
                call.args = [a for a in call.args if not _is_order(a)]
        return self.generic_visit(node.value) if node.value else node

    def visit_YieldFrom(self, node: ast.YieldFrom) -> ast.AST:
        """A call of a method."""
        return self.generic_visit(node.value)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """``self.count`` is ``count``."""
        if isinstance(node.value, ast.Name) and node.value.id == "self":
            return ast.Name(node.attr, ast.Load())
        return self.generic_visit(node)


def _is_order(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in Order.__members__


def _text(node: ast.expr) -> str:
    copy = ast.parse(ast.unparse(node), mode="eval").body
    return ast.unparse(_Readable().visit(copy))


def _test(file: str, line: int) -> ast.expr | None:
    """What the assertion asks whose test begins in a line, as far as the source can be read."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:  # a notebook's cell with commands in it
        return None
    tests = [node.test for node in ast.walk(tree) if isinstance(node, ast.Assert)]
    return next((test for test in tests if test.lineno == line), None)
