"""What an assertion asked for, and what it found: ``count is 1, expected 2``.

Below it stands the assertion as in the source, with its comment.
"""

from __future__ import annotations

import ast
import linecache
import re
from dataclasses import dataclass

from locksim.checker.models.program import Program
from locksim.checker.replay.invocations import Invocation
from locksim.checker.replay.names import numeral
from locksim.compiler import bytecode as b
from locksim.lang.ops import Order

_WORDS = ("load", "swap", "compare_swap", "fetch_add", "fetch_and", "fetch_or", "fetch_xor")


def asserted(program: Program, pc: int, regs: list[int], call: Invocation | None = None) -> str:
    """Why an assertion fails.

    Arguments:
        program: whose. pc: the row of the assertion. regs: the registers when it fails.
        call: the client's last one in this thread.
    """
    place = program.places[pc]
    found = _assertion(place.file, place.line)
    if found is None:
        return "an assertion failed"
    says = _why(program, pc, regs, found.test)
    if call is not None and call.result is not None and found.result:
        value = f" {numeral(call.result)}, expected"
        says = re.sub(rf"^{found.result} is(?={re.escape(value)})", f"{call.text} returned", says)
    return f"{says}\n  {found.source}"


def _why(program: Program, pc: int, regs: list[int], test: ast.expr) -> str:
    code, made = program.code[pc], program.code[pc - 1]
    # The row before has computed what is asserted, unless it was known before or took a branch.
    computed = made[1] == code[2] and made[1] not in made[2:4]
    if computed and isinstance(test, ast.Compare) and b.EQ <= made[0] <= b.GE:
        return _compared(test, int(regs[made[2]]), int(regs[made[3]]))
    if computed and isinstance(test, ast.UnaryOp) and made[0] == b.NOT:
        return _is(test.operand, int(regs[made[2]]), "0")
    if not isinstance(test, ast.Compare | ast.UnaryOp | ast.BoolOp | ast.IfExp):
        return _is(test, int(regs[code[2]]), "1")
    return "an assertion failed"


def _compared(test: ast.Compare, left: int, right: int) -> str:
    sides, values = (test.left, test.comparators[0]), (left, right)
    if not isinstance(test.ops[0], ast.Eq):
        names = [_text(side) for side in sides]
        known = [f"{n} is {numeral(v)}" for n, v in zip(names, values, strict=True) if n != str(v)]
        return f"{' and '.join(known)}, expected {_text(test)}"
    if isinstance(sides[0], ast.Constant):
        sides, values = sides[::-1], values[::-1]
    name = _text(sides[1])
    value = numeral(values[1])
    expected = value if name == str(values[1]) else f"{value}, as {name} is"
    return _is(sides[0], values[0], expected)


def _is(node: ast.expr, value: int, expected: str) -> str:
    text = _text(node)
    returned = isinstance(node, ast.Yield | ast.YieldFrom) and text.endswith(")")
    return f"{text} {'returned' if returned else 'is'} {numeral(value)}, expected {expected}"


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


@dataclass(frozen=True)
class _Assertion:
    """An assertion in the source.

    Arguments:
        test: what it asks. source: its line, with the comment.
        result: the name that the statement before gives to the result of a call, or "".
    """

    test: ast.expr
    source: str
    result: str


def _assertion(file: str, line: int) -> _Assertion | None:
    """The assertion whose test begins in a line, as far as the source can be read."""
    lines = linecache.getlines(file)
    try:
        tree = ast.parse("".join(lines))
    except SyntaxError:  # a notebook's cell with commands in it
        return None
    bodies = [
        body
        for node in ast.walk(tree)
        for _, body in ast.iter_fields(node)
        if isinstance(body, list)
    ]
    for body in bodies:
        for before, node in zip([None, *body], body, strict=False):
            if isinstance(node, ast.Assert) and node.test.lineno == line:
                return _Assertion(node.test, lines[node.lineno - 1].strip(), _result(before))
    return None


def _result(statement: ast.AST | None) -> str:
    """The name to which a statement gives the result of a call, or ""."""
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=ast.YieldFrom()):
            return name
    return ""
