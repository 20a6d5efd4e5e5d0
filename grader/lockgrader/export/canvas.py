"""``canvas.csv``: what Canvas takes under Grades, Import.

Canvas finds students by ``ID``, ``SIS User ID`` or ``SIS Login ID``, whichever is filled in; the
grader knows the name that a submission came under, which is taken for the login. The second row
holds the points possible, and its first cell is how Canvas recognises it. An assignment that
Canvas does not know is offered to be made.
"""

from __future__ import annotations

from collections.abc import Sequence

from lockgrader.export.sheet import grade, labs_of, sheet
from lockgrader.result import Result

__all__ = ["files"]

COLUMNS = ["Student", "ID", "SIS User ID", "SIS Login ID", "Section"]


def files(results: Sequence[Result]) -> dict[str, str]:
    """The table."""
    labs = labs_of(results)
    grades = {(r.student, r.lab): grade(r) for r in results}
    students = dict.fromkeys(r.student for r in results)
    possible: list[str | float] = ["    Points Possible", "", "", "", "", *labs.values()]
    rows: list[list[str | float]] = [
        [name, "", "", name, "", *(grades.get((name, lab), "") for lab in labs)]
        for name in students
    ]
    return {"canvas.csv": sheet([[*COLUMNS, *labs], possible, *rows])}
