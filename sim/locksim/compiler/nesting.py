"""How deep a text nests, measured by its tokens before Python parses it.

``ast.parse`` follows the nesting on the stack of C. A browser's is small: there a text that nests
too deeply ends Python itself, without an exception. A tree is never higher than the operators on
its way, so this measure is at least the height of the syntax tree, and for what people write it is
about twice that at most.

What is flat in the tree counts only once: elements between commas, operands of ``and`` and ``or``,
comparisons, lines. What is nested adds up: operators, attributes, calls, brackets (twice, as the
parser comes through two dozen rules for each), ``else``, ``lambda``, ``elif`` after ``elif``,
indentation.
"""

from __future__ import annotations

import io
import keyword
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass, field

from locksim.compiler.diagnostics import Span

LIMIT = 200
"""Chromium's stack ends between 180 and 199 open brackets, at 900 operators, at 1,000 elifs."""

_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_COMPARE = "comparison"
_FLAT = {"and": "and", "or": "or"} | dict.fromkeys(
    ("in", "is", "<", ">", "==", "!=", "<=", ">="), _COMPARE
)
"""What separates things that stand side by side in the tree, and of what."""
_RIGHT = frozenset(("else", "yield", "await", ":="))
_NO_OPERAND = frozenset((":", "=", ";", "->", "if", "for", "return", "assert", "async", "del"))
"""Behind these an operand begins, and they nest nothing."""


@dataclass(slots=True)
class _Level:
    """An expression between brackets, or a line.

    Arguments:
        operand: height of the operand that is being read. operators: how many stand since the last
            thing that is flat. highest: of the operands since then. right: what nests to the right
            since the last comma. lambdas: they nest across commas. height: of what came before.
        flat: what separates things here; of each there is one node above them.
    """

    operand: int = 0
    operators: int = 0
    highest: int = 0
    right: int = 0
    lambdas: int = 0
    height: int = 0
    flat: set[str] = field(default_factory=set)

    def total(self) -> int:
        """Return the height of the whole so far."""
        group = self.operators + max(self.highest, self.operand)
        return max(self.height, group + self.right + self.lambdas) + len(self.flat)

    def separate(self, what: str) -> None:
        """Begin what stands beside the thing before: the next operand of ``and``."""
        self.height = self.total() - len(self.flat)
        self.flat.add(what)
        self.operand = self.operators = self.highest = 0

    def comma(self) -> None:
        """Begin the next element."""
        self.separate(",")
        self.right = 0

    def complete(self) -> None:
        """Take the operand that was read: another one begins."""
        self.highest = max(self.highest, self.operand)
        self.operand = 0


def too_deep(text: str) -> Span | None:
    """Return the first place at which a text nests deeper than ``LIMIT``, or None."""
    return next((place for depth, place in depths(text) if depth > LIMIT), None)


def depths(text: str) -> Iterator[tuple[int, Span]]:
    """Give at each token how deep its line nests so far, and the token's place.

    A text that is not Python is measured as far as it has tokens; the parser refuses it later.
    """
    statements = _Statements()
    levels = [_Level()]
    operand_before = False
    place = Span(1, 0, 1)
    for token in _tokens(text):
        word, level = token.string, levels[-1]
        (line, start), end = token.start, token.end[1]
        place = Span(line, start, end if token.end[0] == line else start + 1)
        if token.type == tokenize.NEWLINE:
            levels, operand_before = [_Level()], False
        elif word in _OPEN:
            levels.append(_Level())
            operand_before = False
        elif word in _CLOSE:
            inner = levels.pop().total() + 1 if len(levels) > 1 else 0
            levels[-1].operand = max(levels[-1].operand, inner) + 1
            operand_before = True
        elif word == ",":
            level.comma()
            operand_before = False
        elif word in _FLAT:
            level.separate(_FLAT[word])
            operand_before = False
        elif word == "lambda":
            level.lambdas += 1
            operand_before = False
        elif word in _RIGHT:
            level.right += 1
            level.complete()
            operand_before = False
        elif word == ".":
            level.operand += 1
        elif word == "not" or (token.type == tokenize.OP and not operand_before):
            level.operand += 1
        elif word in _NO_OPERAND:
            operand_before = False
        elif token.type == tokenize.OP:
            level.operators += 1
            level.complete()
            operand_before = False
        else:
            operand_before = not keyword.iskeyword(word)
        yield statements.depth(token) + 2 * (len(levels) - 1) + levels[-1].total(), place
    while len(levels) > 1:  # the text ends between brackets
        inner = levels.pop().total() + 1
        levels[-1].operand = max(levels[-1].operand, inner) + 1
    yield levels[0].total(), place


class _Statements:
    """The indentation of a line, and the chains of ``elif`` in which it stands."""

    def __init__(self) -> None:
        self.indentation = 0
        self.elifs: dict[int, int] = {}
        self.first = True

    def depth(self, token: tokenize.TokenInfo) -> int:
        """Take the next token, and return how deep its line is."""
        if token.type in (tokenize.INDENT, tokenize.DEDENT):
            self.indentation += 1 if token.type == tokenize.INDENT else -1
        elif self.first:
            self.first = False
            here = self.indentation
            self.elifs = {at: n for at, n in self.elifs.items() if at <= here}
            if token.string == "elif":
                self.elifs[here] = self.elifs.get(here, 0) + 1
            elif token.string != "else":
                self.elifs.pop(here, None)
        if token.type == tokenize.NEWLINE:
            self.first = True
        return self.indentation + sum(self.elifs.values())


def _tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    """Give the tokens that change the nesting, until the text is no Python."""
    ignored = (tokenize.COMMENT, tokenize.NL, tokenize.ENCODING, tokenize.ENDMARKER)
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    while True:
        try:
            token = next(tokens)
        except (StopIteration, SyntaxError, tokenize.TokenError):
            return
        if token.type not in ignored:
            yield token
