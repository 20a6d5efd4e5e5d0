"""``moodle.csv``: a table for Moodle's gradebook.

The columns are named as Moodle's own export names them, grade and feedback side by side, because an
import of one without the other clears what it leaves out. On the import's second page ``Username``
is mapped to ``username`` (or ``Email address`` to ``useremail``) and the other two to a grade item.
"""

from __future__ import annotations

from collections.abc import Sequence

from lockgrader.export.sheet import labs_of, sheet, shown_grade
from lockgrader.report.student import WORDS, seen_in, withheld
from lockgrader.result import Result


def files(results: Sequence[Result]) -> dict[str, str]:
    """The table."""
    labs = labs_of(results)
    found = {(r.student, r.lab): r for r in results}
    head = ["Username", "Email address"]
    for lab in labs:
        head += [f"{lab} (Real)", f"{lab} (Feedback)"]
    rows: list[list[str | float]] = []
    for name in dict.fromkeys(r.student for r in results):
        row: list[str | float] = [name, name if "@" in name[1:] else ""]
        for lab in labs:
            one = found.get((name, lab))
            row += ["", ""] if one is None else [shown_grade(one), _feedback(one)]
        rows.append(row)
    return {"moodle.csv": sheet([head, *rows])}


def _feedback(result: Result) -> str:
    """Lateness, failed checks and reasons of marks, as the student may see them."""
    if result.absent:
        return ""
    checks = seen_in(result)
    late = [f"{result.late}"] if result.late is not None and result.late.days else []
    failed = [f"{c.title}: {WORDS[c.verdict]}" for c in checks if c.verdict != "pass"]
    by_hand = [f"{c.title}: {c.mark.reason}" for c in checks if c.mark is not None]
    return "; ".join(filter(None, [withheld(result).removesuffix("."), *late, *failed, *by_hand]))
