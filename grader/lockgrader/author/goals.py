"""What a lab teaches, and what shows it: learning goal → checks → misconceptions.

``goals.toml`` in a lab's folder is for instructors. Each ``[[goal]]`` has a ``text`` and the names
of ``checks``. Every check with points must stand under a goal, and every goal must have a check.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from lockgrader.author.item import Item
from lockgrader.check import Check
from lockgrader.lab import LabError

GOALS = "goals.toml"


@dataclass(frozen=True)
class Goal:
    """What a student can do after the lab (``text``), and the checks that show it."""

    text: str
    checks: tuple[str, ...]


def goals(folder: Path) -> list[Goal]:
    """The goals of a lab; none if it has no goals.toml.

    Raises:
        LabError: the file cannot be read.
    """
    path = folder / GOALS
    if not path.is_file():
        return []
    try:
        document = tomllib.loads(path.read_text(encoding="utf-8"))
        return [Goal(one["text"], tuple(one["checks"])) for one in document["goal"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise LabError(f"{path}: write [[goal]] with text and checks ({error})") from error


def kept(folder: Path, checks: Iterable[Check]) -> Iterable[Item]:
    """Whether no goal is without a check, and no check with points without a goal."""
    graded = {check.name: bool(check.points) for check in checks}
    found = goals(folder)
    for goal in found:
        strange = [name for name in goal.checks if name not in graded]
        says = f"shown by {', '.join(goal.checks) or 'no check'}"
        if strange:
            says = f"the lab has no check {', '.join(strange)}"
        yield Item("goal", goal.text, bool(goal.checks) and not strange, says)
    shown = {name for goal in found for name in goal.checks}
    for name in [name for name, points in graded.items() if points and name not in shown and found]:
        yield Item("goal", name, False, f"the check stands under no goal of {GOALS}")
