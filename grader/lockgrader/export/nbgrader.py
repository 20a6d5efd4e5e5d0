"""What nbgrader's cells get: points and a text for each check, and one cell for all hidden ones."""

from __future__ import annotations

from typing import Any

from lockgrader.export.neutral import feedback, plain
from lockgrader.result import Result

HIDDEN_CELL = "hidden-checks"
"""The name of the cell of all hidden checks."""


def document(result: Result) -> dict[str, Any]:
    """``{"notes": [...], "cells": {name: {"points", "text"}}}`` of a complete result."""
    about = feedback(result)
    cells = {s.check.name: {"points": s.check.points, "text": plain(s)} for s in about.shown}
    if about.hidden:
        verdicts = [f"{name}: {words}" for name, words in about.hidden.items()]
        cells[HIDDEN_CELL] = {
            "points": round(about.hidden_points[0], 4),
            "text": "\n".join(verdicts),
        }
    return {"notes": list(about.notes), "cells": cells}
