"""What a user expects when all threads have finished: ``seen[0] == 1 or seen[1] == 1``.

The text is one Python expression and is never run as Python. It compares words, by their names, and
whole numbers; ``+``, ``-`` and ``*`` compute with them; ``and``, ``or`` and ``not`` join
comparisons.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from locksim.checker.errors import CheckError

_Values = Mapping[str, int]
_Term = Callable[[_Values], int]

_COMPARISONS: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
_ARITHMETIC: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
}


@dataclass(frozen=True)
class Expectation:
    """A condition on the final values of some words; an end of a client.

    Arguments:
        text: as the user wrote it. words: the names of the words in it, in order.
        holds: whether it holds of these words' values, by name.
    """

    text: str
    words: tuple[str, ...]
    holds: Callable[[_Values], int]
    found: str = "assertion"

    def wrong(self, values: tuple[int, ...]) -> str:
        """The message about final values that do not fit, in the order of the words; else empty."""
        named = dict(zip(self.words, values, strict=True))
        if self.holds(named):
            return ""
        shown = ", ".join(f"{word} is {value}" for word, value in named.items())
        return f"all threads have finished, and {shown}; expected: {self.text}"


def expectation(text: str) -> Expectation:
    """Read an expectation.

    Raises:
        CheckError: it is not a condition on words; the message says where.
    """
    try:
        tree = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise _unreadable(text, f"cannot read '{text}'") from None
    words: dict[str, None] = {}
    try:
        holds = _condition(tree, text, words)
    except RecursionError:
        raise _unreadable(text[:40] + "...", "it is nested too deeply") from None
    if not words:
        raise _unreadable(text, "it contains no word of the program")
    return Expectation(text.strip(), tuple(words), holds)


def _condition(node: ast.expr, text: str, words: dict[str, None]) -> _Term:
    match node:
        case ast.BoolOp():
            parts = [_condition(value, text, words) for value in node.values]
            every = isinstance(node.op, ast.And)
            return lambda v: (all if every else any)(part(v) for part in parts)
        case ast.UnaryOp(op=ast.Not()):
            inner = _condition(node.operand, text, words)
            return lambda v: not inner(v)
        case ast.Compare() if all(type(op) in _COMPARISONS for op in node.ops):
            terms = [_term(term, text, words) for term in (node.left, *node.comparators)]
            compare = [_COMPARISONS[type(op)] for op in node.ops]
            return lambda v: all(
                one(a(v), b(v)) for one, a, b in zip(compare, terms, terms[1:], strict=False)
            )
    raise _unreadable(text, f"'{ast.unparse(node)}' is not a comparison")


def _term(node: ast.expr, text: str, words: dict[str, None]) -> _Term:
    match node:
        case ast.Constant(value=int(number)) if not isinstance(number, bool):
            return lambda v: number
        case ast.UnaryOp(op=ast.USub()):
            inner = _term(node.operand, text, words)
            return lambda v: -inner(v)
        case ast.BinOp() if type(node.op) in _ARITHMETIC:
            compute = _ARITHMETIC[type(node.op)]
            left, right = _term(node.left, text, words), _term(node.right, text, words)
            return lambda v: compute(left(v), right(v))
    if not _is_name(node):
        raise _unreadable(
            text, f"'{ast.unparse(node)}' is not a word of the program and not a whole number"
        )
    name = ast.unparse(node)
    words[name] = None
    return lambda v: v[name]


def _is_name(node: ast.expr) -> bool:
    """Whether it looks like the name of a word: ``x``, ``lock.next``, ``nodes[1].next``."""
    match node:
        case ast.Name():
            return True
        case ast.Attribute(value=inner):
            return _is_name(inner)
        case ast.Subscript(value=inner, slice=ast.Constant(value=int())):
            return _is_name(inner)
    return False


def _unreadable(text: str, why: str) -> CheckError:
    return CheckError(
        f"--expect {text!r}: {why}\n"
        "help: compare words with numbers, as in 'count == 2' or 'x == 1 or y != 0'"
    )
