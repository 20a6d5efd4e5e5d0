"""``canvas.csv``: a table for Canvas, under Grades, Import.

Canvas finds students by ``ID``, ``SIS User ID`` or ``SIS Login ID``, whichever is filled in. The
grader knows the name of a submission, which counts as the login, and the
roster's names and sections. The second row holds the points possible; Canvas recognises it by its
first cell. Canvas offers to create an unknown assignment.
"""

from __future__ import annotations

from collections.abc import Sequence

from lockgrader.export.sheet import labs_of, sheet, shown_grade
from lockgrader.result import Result

__all__ = ["files"]

COLUMNS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]


def files(results: Sequence[Result]) -> dict[str, str]:
    """The table."""
    labs = labs_of(results)
    grades = {(r.student, r.lab): shown_grade(r) for r in results}
    students = {r.student: r for r in reversed(results)}
    possible: list[str | float] = ["    Points Possible", "", "", "", "", *labs.values()]
    rows: list[list[str | float]] = [
        [
            who.name or name,
            "",
            "",
            name,
            who.section,
            *(grades.get((name, lab), "") for lab in labs),
        ]
        for name, who in reversed(students.items())
    ]
    return {"canvas.csv": sheet([[*COLUMNS, *labs], possible, *rows])}
