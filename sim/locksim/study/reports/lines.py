"""The lines of a pasted text, without what mail and terminals added to them.

Undone are: quoted-printable with its soft line ends, ``> `` of replies, colours of a terminal, and
numbers of lines as the kernel's documentation has them. A text is streamed and never held as a
whole, so memory stays flat however long the file is.
"""

from __future__ import annotations

import quopri
import re
from collections import deque
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

from locksim.study.reports.errors import ReportError

MOST_BYTES = 32 << 20
MOST_LENGTH = 64 << 10
LOOKAHEAD = 8
"""Lines that a heading or a row may be wrapped into, at most."""

_SOFT_END = re.compile(r"(?<=\S.)=$|(?<=\S)=$")
_ENCODED = re.compile(r"=(?:3D|20(?=\s*$)|[CDE][0-9A-F]=[89AB][0-9A-F])")
_BLANKS = re.compile(r"[ \t]{100,}")
_COLOUR = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\u202a-\u202e\u2066-\u2069]")
_QUOTE = re.compile(r"(?:> ?)+")
_NUMBERED = re.compile(r"\s*\d\d(?: lock_stat version|[-.]{20,}$)")
_NUMBER = re.compile(r"\s*\d\d(?: |$|(?=[-.]{20,}$))")


class Line(NamedTuple):
    """A line, and its number in the file, from 1."""

    number: int
    text: str


class Window:
    """The next lines of a text: as many as a wrapped row may need."""

    def __init__(self, lines: Iterator[Line]) -> None:
        self._lines = lines
        self._next: deque[Line] = deque()
        self._fill()

    def __bool__(self) -> bool:
        return bool(self._next)

    @property
    def number(self) -> int:
        """Number of the first line."""
        return self._next[0].number

    @property
    def first(self) -> str:
        """Text of the first line."""
        return self._next[0].text

    def line(self, i: int) -> str:
        """Text of the line ``i`` after the first; empty behind the last."""
        return self._next[i].text if i < len(self._next) else ""

    def joined(self) -> Iterator[tuple[int, str]]:
        """The first line, the first two as one, and so on, up to a blank line."""
        text = ""
        for n, line in enumerate(self._next, 1):
            if not line.text.strip():
                return
            text = f"{text} {line.text}" if text else line.text
            yield n, text

    def advance(self, n: int) -> None:
        """Drop ``n`` lines."""
        for _ in range(min(n, len(self._next))):
            self._next.popleft()
        self._fill()

    def _fill(self) -> None:
        while len(self._next) < LOOKAHEAD and (line := next(self._lines, None)) is not None:
            self._next.append(line)


def check_size(size: int) -> None:
    """Refuse a file that is too large before it is read.

    Raises:
        ReportError: it is larger than ``MOST_BYTES``.
    """
    if size > MOST_BYTES:
        raise ReportError(
            f"more than {MOST_BYTES >> 20} MiB; cut out the lock report and give that part"
        )


def decode(stream: BinaryIO) -> Iterator[str]:
    """The lines of a file.

    Raises:
        ReportError: it is not UTF-8, larger than ``MOST_BYTES``, or has a line that no report has.
    """
    at = 0
    number = 0
    while raw := stream.readline(MOST_LENGTH + 1):
        number += 1
        try:
            text = raw.decode("utf-8-sig" if not at else "utf-8")
        except UnicodeDecodeError as error:
            if len(raw) <= MOST_LENGTH:
                raise ReportError(
                    f"is not UTF-8 text (byte {at + error.start}); save the file as UTF-8"
                ) from error
        at += len(raw)
        if len(raw) > MOST_LENGTH:
            raise ReportError(
                f"line {number}: more than {MOST_LENGTH >> 10} KiB long; give a text with lines"
            )
        check_size(at)
        yield text


def clean(raw: Iterable[str]) -> Iterator[Line]:
    """The lines as the tool printed them.

    Raises:
        ReportError: a line has control characters, which would act on a terminal.
    """
    numbered = False
    for number, text in _whole(raw):
        text = _BLANKS.sub(" " * 100, _COLOUR.sub("", text))  # no table has wider gaps
        if found := _CONTROL.search(text):
            raise ReportError(
                f"line {number}: control character {found[0]!r}; this is not the text of a report"
            )
        if text.startswith(">"):
            text = _QUOTE.sub("", text, count=1)
        if _NUMBERED.match(text):
            numbered = True
        if numbered and text.strip():
            found = _NUMBER.match(text)
            numbered = found is not None
            text = text[found.end() :] if found else text
        yield Line(number, text)


def _whole(raw: Iterable[str]) -> Iterator[tuple[int, str]]:
    """The lines with their numbers, soft line ends of quoted-printable undone."""
    begun = ""
    start = 0
    for number, line in enumerate(raw, 1):
        text = line.rstrip("\r\n")
        start = start or number
        if len(text) >= 60 and _SOFT_END.search(text) and len(begun) < MOST_LENGTH:
            begun += text[:-1]
            continue
        text = begun + text
        if begun or _ENCODED.search(text):
            text = quopri.decodestring(text.encode()).decode("utf-8", "replace")
        yield start, text
        begun, start = "", 0
    if begun:
        yield start, begun
