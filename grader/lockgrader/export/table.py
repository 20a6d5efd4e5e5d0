"""``grades.csv``: one row a student, with the points of each check.

``points`` is after what lateness costs, which leaves ``share`` of the sum of the checks.
"""

from __future__ import annotations

from collections.abc import Sequence

from lockgrader.export.sheet import grade, sheet
from lockgrader.result import Result


def files(results: Sequence[Result]) -> dict[str, str]:
    """The table."""
    names = list(dict.fromkeys(c.name for r in results for c in r.checks))
    head = ["student", "name", "section", "lab", "points", "max_points", "state", "days_late"]
    head += ["share", "changed_by_hand", *names]
    rows: list[list[str | float]] = []
    for result in results:
        judged = [c for c in result.checks if c.mark or c.verdict != "grader_error"]
        points = {} if result.absent else {c.name: c.points for c in judged}
        rows.append(
            [
                result.student,
                result.name,
                result.section,
                result.lab,
                grade(result),
                result.max_points,
                _state(result),
                "" if result.late is None else result.late.days,
                1 if result.late is None else result.late.share,
                " ".join(c.name for c in result.checks if c.mark is not None),
                *(points.get(n, "") for n in names),
            ]
        )
    return {"grades.csv": sheet([head, *rows])}


def _state(result: Result) -> str:
    if result.absent:
        return "nothing handed in"
    if not result.complete:
        return "not finished"
    return "to be graded again" if result.errors else "graded"
