"""Compile errors: where a mistake is, and how it is shown.

The texts are in :mod:`locksim.compiler.mistakes`. :meth:`Source.fail` fills one in and shows the
line that it is about.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

from locksim.compiler.mistakes import mistakes
from locksim.core.faults import authors


class CompileError(Exception):
    """A program that is outside the language.

    Arguments:
        code: a key of ``mistakes()``; it does not change between versions.
        file: where the program is. line, column, end_column: from 1; the end is exclusive.
        message: what was found. help: what to write instead.
        text: the source line.
    """

    exit_code = 2

    def __init__(
        self,
        code: str,
        file: str,
        line: int,
        column: int,
        end_column: int,
        message: str,
        help: str,  # noqa: A002 - the word of the messages
        text: str = "",
    ) -> None:
        super().__init__(code, file, line, column, end_column, message, help, text)
        self.code, self.file, self.line = code, file, line
        self.column, self.end_column = column, end_column
        self.message, self.help, self.text = message, help, text

    def __str__(self) -> str:
        shown = [f"{authors(self.file)}:{self.line}:{self.column}: {self.message}"]
        if self.text.strip():
            # Tabs stay tabs under the line, so that the caret is where the eye looks for it.
            lead = "".join(c if c == "\t" else " " for c in self.text[: self.column - 1])
            carets = "^" * max(1, self.end_column - self.column)
            shown += [f"  {self.line:>4} | {self.text}", f"       | {lead}{carets}"]
        return "\n".join([*shown, f"help: {self.help}"])


@dataclass(frozen=True)
class Span:
    """A piece of one source line: the line from 1, the columns from 0, in characters."""

    line: int
    column: int
    end_column: int


@dataclass(frozen=True)
class Source:
    """A file's name and text."""

    file: str
    text: str

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return self.text.splitlines()

    def line(self, number: int) -> str:
        """A line by its number, from 1; empty where there is none."""
        return self.lines[number - 1] if 0 < number <= len(self.lines) else ""

    def span(self, node: ast.AST) -> Span:
        """Where a node starts; a node of several lines counts to the end of its first."""
        line = getattr(node, "lineno", 1)
        text = self.line(line)
        start = _characters(text, getattr(node, "col_offset", 0))
        if getattr(node, "end_lineno", line) == line:
            end = _characters(text, getattr(node, "end_col_offset", start + 1))
        else:
            end = len(text.rstrip())
        return Span(line, start, max(end, start + 1))

    def code(self, node: ast.AST) -> str:
        """The source of an expression, on one line."""
        if getattr(node, "lineno", 1) == getattr(node, "end_lineno", 0):
            span = self.span(node)
            return self.line(span.line)[span.column : span.end_column]
        return ast.unparse(node)

    def fail(self, code: str, node: ast.AST | Span, **fields: object) -> NoReturn:
        """Raise a mistake at a node.

        Raises:
            CompileError: always.
        """
        span = node if isinstance(node, Span) else self.span(node)
        kind = mistakes()[code]
        raise CompileError(
            code,
            self.file,
            span.line,
            span.column + 1,
            span.end_column + 1,
            kind.message.format(**fields),
            kind.help.format(**fields),
            self.line(span.line),
        )


def _characters(text: str, byte_offset: int) -> int:
    """Python's syntax trees count columns in bytes of UTF-8; people count characters."""
    return len(text.encode()[:byte_offset].decode(errors="ignore"))
