"""``items.csv``: a quiz's questions with difficulty, discrimination and, after another quiz, gain.

How to read it: docs/teach/course.md.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from lockgrader.export.sheet import sheet
from lockgrader.report.items import Gain, items
from lockgrader.result import Result


def files(results: Sequence[Result], gained: Sequence[Gain] = ()) -> dict[str, str]:
    """The table.

    Arguments:
        gained: since an earlier quiz, the class first.
    """
    head = ["question", "title", "students", "difficulty", "discrimination"]
    rows: list[list[str | float]] = [
        [i.name, i.title, i.students, i.difficulty, i.discrimination] for i in items(results)
    ]
    if gained:
        known = {g.name: g for g in gained}
        head += ["both", "before", "after", "gain", "gain_low", "gain_high"]
        rows = [["all", "", "", "", ""], *rows]
        rows = [[*row, *_cells(known.get(str(row[0])))] for row in rows]
    return {"items.csv": sheet([head, *([_known(cell) for cell in row] for row in rows)])}


def _cells(gained: Gain | None) -> list[str | float]:
    if gained is None:
        return [""] * 6
    return [gained.students, gained.before, gained.after, gained.gain, gained.low, gained.high]


def _known(cell: str | float) -> str | float:
    return "" if isinstance(cell, float) and math.isnan(cell) else cell
