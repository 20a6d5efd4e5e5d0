"""The levels of a lab's ``rubric.md``, for the page on which answers are marked.

A question begins with a line ``**`NAME`: …**``, NAME being the check's; a level is a line
``- POINTS: what an answer of this level says``. All other text is for people alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

RUBRIC = "rubric.md"
_QUESTION = re.compile(r"\*\*`([a-z][a-z0-9-]*)`")
_LEVEL = re.compile(r"- (\d+(?:\.\d+)?): +(.+)")


@dataclass(frozen=True)
class Level:
    """Points, and what an answer that earns them says."""

    points: float
    says: str


def rubric(folder: Path) -> dict[str, list[Level]]:
    """Check → levels, the best first; empty for a lab without a rubric."""
    path = folder / RUBRIC
    found: dict[str, list[Level]] = {}
    name = ""
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
        question, level = _QUESTION.match(line), _LEVEL.match(line)
        if question:
            name = question[1]
        elif line.startswith(("**", "#")):
            name = ""
        elif level and name:
            found.setdefault(name, []).append(Level(float(level[1]), level[2]))
    return {name: sorted(levels, key=lambda x: -x.points) for name, levels in found.items()}
