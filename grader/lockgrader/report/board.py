"""The leader board of checks that give a score: places and scores, with or without names.

Without names each line has a sign: the first digits of the submission's hash. A student sees the
own sign in ``feedback.html``; to find that of another one takes that student's files.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from lockgrader.result import CheckResult, Result

__all__ = ["Board", "Line", "boards", "scored", "sign"]

DIGITS = 6


@dataclass(frozen=True)
class Line:
    """A line of a board; equal scores share a place.

    Arguments:
        place: from 1. who: the student's name, or their sign. score: as the check gives it.
    """

    place: int
    who: str
    score: float


@dataclass(frozen=True)
class Board:
    """A check's lines, the best first. title: of the check."""

    title: str
    lines: tuple[Line, ...]


def sign(result: Result) -> str:
    """What stands for a student on a board without names."""
    return result.submission_sha256[:DIGITS]


def scored(result: Result) -> bool:
    """Whether a student is on a board."""
    return any(check.score is not None for check in result.checks)


def boards(results: Sequence[Result], *, named: bool = False) -> list[Board]:
    """The boards of a lab, one for each check with scores.

    Arguments:
        results: of the students with a submission. named: whether the lines have names.
    """
    found: dict[str, list[tuple[float, Result, CheckResult]]] = {}
    for result in results:
        for check in result.checks:
            if check.score is not None:
                found.setdefault(check.name, []).append((check.score, result, check))
    return [_board(entries, named) for entries in found.values()]


def _board(entries: list[tuple[float, Result, CheckResult]], named: bool) -> Board:
    scores = [score for score, _, _ in entries]
    lines = [
        Line(1 + sum(s > score for s in scores), r.student if named else sign(r), score)
        for score, r, _ in entries
    ]
    ordered = sorted(lines, key=lambda line: (line.place, line.who))
    return Board(entries[0][2].title, tuple(ordered))
