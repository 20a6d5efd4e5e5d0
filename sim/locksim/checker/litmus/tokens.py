"""The words of a litmus test, and a place among them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NoReturn

from locksim.checker.litmus.program import LitmusError

LONGEST = 20
"""Digits of a number."""
_TOKEN = re.compile(
    r"\s+|//[^\n]*|/\*.*?\*/|(?P<number>0x[0-9a-fA-F]+|\d+)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign>/\\|\\/|==|!=|<=|>=|&&|\|\||~exists|[^\s])",
    re.DOTALL,
)


@dataclass(frozen=True)
class Token:
    """A word, a number or a sign.

    Arguments:
        kind: "name", "number" or "sign"; "" at the end. line: from 1.
    """

    text: str
    kind: str
    line: int


class Cursor:
    """A place in a text, which goes on from token to token.

    Arguments:
        text: of a litmus test. file: its name, for messages.
    """

    def __init__(self, text: str, file: str) -> None:
        self.file, self.at = file, 0
        self.tokens = _tokens(text)

    def peek(self) -> Token:
        """The next token; at the end one without text."""
        return self.tokens[self.at]

    def next(self) -> Token:
        """Take the next token."""
        token = self.tokens[self.at]
        self.at = min(self.at + 1, len(self.tokens) - 1)
        return token

    def accept(self, text: str) -> bool:
        """Take a token if it is the next one, and say whether."""
        found = self.peek().text == text
        if found:
            self.next()
        return found

    def take(self, text: str) -> None:
        """Take a token, or refuse what stands there."""
        found = self.next().text
        if found != text:
            self.fail(f"'{found or 'the end'}' instead of '{text}'", f"write '{text}'")

    def expect_more(self) -> None:
        """Refuse the end of the text."""
        if not self.peek().text:
            self.fail("the text ends too early", "close what is open")

    def name(self, what: str) -> str:
        """Take a name; ``what`` says of what, for the message."""
        token = self.next()
        if token.kind != "name":
            self.fail(f"'{token.text or 'the end'}' where {what} should be", f"write {what}")
        return token.text

    def signed(self, hint: str) -> int:
        """Take a whole number; ``hint`` is what to write if there is none."""
        sign = -1 if self.accept("-") else 1
        token = self.next()
        if token.kind != "number":
            self.fail(f"'{token.text}' is no number", hint)
        hexadecimal = token.text[:2] == "0x"
        if len(token.text) > LONGEST:
            self.fail("a number of more than 64 bits", "write a smaller one")
        return sign * int(token.text, 16 if hexadecimal else 10)

    def fail(self, what: str, hint: str) -> NoReturn:
        """Refuse the test, at the line of the token that was taken last."""
        line = self.tokens[max(0, self.at - 1)].line
        raise LitmusError(f"{self.file}:{line}: {what}\nhelp: {hint}")


def _tokens(text: str) -> list[Token]:
    """The tokens of a test. Outside the threads' bodies ``(* … *)`` is a comment, too."""
    found: list[Token] = []
    at, line, blocks, depth = 0, 1, 0, 0
    while at < len(text):
        in_body = depth > 0 and blocks > 1  # the first block is the initial memory
        comment = not in_body and text.startswith("(*", at) and "*)" in text[at:]
        match = None if comment else _TOKEN.match(text, at)
        end = text.index("*)", at) + 2 if match is None else match.end()
        if match is not None and match.lastgroup:
            found.append(Token(match[match.lastgroup], match.lastgroup, line))
            blocks += depth == 0 and found[-1].text == "{"
            depth += {"{": 1, "}": -1}.get(found[-1].text, 0)
        line += text.count("\n", at, end)
        at = end
    return [*found, Token("", "", line)]
