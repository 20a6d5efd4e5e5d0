"""Write rows as CSV that a spreadsheet shows and does not execute.

A cell that begins with ``=``, ``+``, ``-``, ``@`` or a control character is a formula to Excel and
similar programs, even when quoted (CWE-1236), and students choose their names. Such a text gets an
apostrophe in front. Numbers come from the grader and stay unchanged, also negative ones.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from lockgrader.report.student import withheld
from lockgrader.result import Result

_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")


def sheet(rows: Iterable[Sequence[str | float]]) -> str:
    """CSV (RFC 4180) of texts and numbers."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, lineterminator="\r\n")
    for row in rows:
        writer.writerow([_cell(cell) for cell in row])
    return out.getvalue()


def grade(result: Result) -> str | float:
    """The points, or "" where a check must be graded again."""
    return "" if result.errors or not result.complete else result.points


def shown_grade(result: Result) -> str | float:
    """As :func:`grade`, for students: "" while the course withholds the points."""
    return "" if withheld(result) else grade(result)


def labs_of(results: Sequence[Result]) -> dict[str, float]:
    """Lab → points possible, in the order of their first result.

    They differ where checks were left out in one place: then the most that a result has.
    """
    return {
        lab: max(r.max_points for r in results if r.lab == lab)
        for lab in dict.fromkeys(r.lab for r in results)
    }


def _cell(value: str | float) -> str:
    if isinstance(value, float | int):
        return f"{round(value, 4):.12g}"
    return f"'{value}" if value.startswith(_FORMULA) else value
