"""Columns of a table whose heading names them: counts, times and a name, in any order.

A cell that a person replaced (``-``, ``?``, ``...``) is missing, not zero.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from locksim.study.reports import numbers
from locksim.study.reports.errors import ReportError

NAME = r"(?P<name>\S+(?: \S+)*?)"
"""A name with single blanks at most: two part columns, also those of another tool."""
NUMBER = r"\d+(?:\.\d+)?"
MISSING = r"-|–|\?|\.{3,}"
MOST = 10**15
"""No counter counts so far: one event a nanosecond takes 11 days."""

_TIME = rf"{NUMBER}\s+(?:ns|us|ms|s|m|h)(?!\S)"


@dataclass(frozen=True, slots=True)
class Column:
    """A column.

    Arguments:
        field: of :class:`~locksim.study.reports.table.LockRow`; empty: the value is not kept.
        unit: of a time that stands without one; empty: each time has its own.
        rounding: units of the last digit by which a printed time may be off, on either side.
    """

    field: str
    kind: Literal["count", "time"]
    unit: str = ""
    rounding: float = 0.5

    @property
    def pattern(self) -> str:
        """One group, for the value or for what stands in its place."""
        what = r"\d+" if self.kind == "count" else NUMBER if self.unit else _TIME
        return rf"({what}|{MISSING})"


@dataclass(slots=True)
class Values:
    """A row's values by field, and by how much the printed ones may be off."""

    of: dict[str, float] = field(default_factory=dict)
    half: dict[str, float] = field(default_factory=dict)

    def add(self, column: Column, text: str, number: int) -> None:
        """Add a cell.

        Arguments:
            number: of the line, for the message.

        Raises:
            ReportError: a count that no counter reaches.
        """
        if not column.field or re.fullmatch(MISSING, text):
            return
        if column.kind == "count":
            self.of[column.field] = count(text, number)
            return
        value, half = numbers.read(re.sub(r"\s", "", text) + column.unit)
        self.of[column.field] = value
        self.half[column.field] = 2 * column.rounding * half


def count(text: str, number: int) -> int:
    """A count.

    Raises:
        ReportError: it has more digits than any counter reaches.
    """
    if len(text) > len(str(MOST)) - 1:
        raise ReportError(
            f"line {number}: a count of {text[:24]} is impossible: one event each nanosecond gives "
            "10^15 in 11 days\nhelp: two numbers have run together, or the text is not a report"
        )
    return int(text)


def pattern(columns: Sequence[Column]) -> str:
    """The cells of a row, a group each."""
    return r"\s+".join(column.pattern for column in columns)


def read(columns: Sequence[Column], texts: Sequence[str], number: int) -> Values:
    """A row's values."""
    values = Values()
    for column, text in zip(columns, texts, strict=True):
        values.add(column, text, number)
    return values


_WRAPPED = re.compile(rf"\s*\S.*?(?:\s+{NUMBER}(?:\s+(?:ns|us|ms|s|m|h))?)+\s*")


def may_go_on(first: str) -> bool:
    """Whether a row that begins with its name may go on in the next line: it ends in a value."""
    return _WRAPPED.fullmatch(first) is not None


def is_name(text: str) -> bool:
    """Whether a text can be the name of a lock, a place or a thread: numbers alone are not."""
    return re.search(r"[A-Za-z_]", text) is not None


def is_cut(text: str) -> bool:
    """Whether a line that is no row begins like one, or holds as many numbers as one."""
    numeric = [bool(re.fullmatch(NUMBER, word.rstrip(","))) for word in text.split()]
    return len(numeric) > 1 and (all(numeric[:2]) or sum(numeric) >= 3)
