"""``grades.csv``: one row a student, with the points of each check."""

from __future__ import annotations

from collections.abc import Sequence

from lockgrader.export.sheet import grade, sheet
from lockgrader.result import Result

__all__ = ["files"]


def files(results: Sequence[Result]) -> dict[str, str]:
    """The table."""
    names = list(dict.fromkeys(c.name for r in results for c in r.checks))
    head = ["student", "lab", "points", "max_points", "state", *names]
    rows: list[list[str | float]] = []
    for result in results:
        points = {c.name: c.points for c in result.checks if c.verdict != "grader_error"}
        rows.append(
            [
                result.student,
                result.lab,
                grade(result),
                result.max_points,
                _state(result),
                *(points.get(n, "") for n in names),
            ]
        )
    return {"grades.csv": sheet([head, *rows])}


def _state(result: Result) -> str:
    if not result.complete:
        return "not finished"
    return "to be graded again" if result.errors else "graded"
