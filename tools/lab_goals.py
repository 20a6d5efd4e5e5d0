#!/usr/bin/env python3
"""Print what the labs teach: each goal with its checks and their misconceptions.

The site has it as a page.
"""

from __future__ import annotations

import tomllib
from pathlib import Path

from lockgrader.author.goals import Goal, goals
from lockgrader.check import Check
from lockgrader.lab import load
from lockgrader.lab.variants import variant
from locklabs import find, names

HEAD = """# What the labs teach, and what shows it

Each learning goal of each lab, the checks that show it, and the misconceptions that these checks
name. A check in *italics* is hidden from students; one in quotes is an answer in words, which an
instructor marks.
"""


def page() -> str:
    """The page as Markdown."""
    return "\n".join([HEAD, *(_lab(find(name)) for name in names())])


def _lab(folder: Path) -> str:
    """A lab's heading and its table."""
    lab = load(folder)
    checks = {check.name: check for check in lab.checks(variant(lab, "ada", b"k" * 16))}
    beliefs = _beliefs(folder)
    rows = [
        "## " + lab.title,
        "",
        f"`{lab.name}`: {len(checks)} checks, "
        f"{sum(c.points for c in checks.values()):g} points, "
        f"{sum(c.points for c in checks.values() if not c.public):g} of them hidden.",
        "",
        "| a student can | checks | misconceptions |",
        "|---|---|---|",
        *(_row(goal, checks, beliefs) for goal in goals(folder)),
        "",
    ]
    return "\n".join(rows)


def _row(goal: Goal, checks: dict[str, Check], beliefs: dict[str, str]) -> str:
    shown = [checks[name] for name in goal.checks]
    named = {beliefs[text] for check in shown for text in check.misconceptions.values()}
    cells = (goal.text, ", ".join(map(_named, shown)), ", ".join(sorted(named)) or "–")
    return f"| {' | '.join(cells)} |"


def _named(check: Check) -> str:
    if check.kind == "written":
        return f'"{check.name}"'
    return check.name if check.public else f"*{check.name}*"


def _beliefs(folder: Path) -> dict[str, str]:
    """Belief → its name."""
    found: dict[str, str] = {}
    for path in (folder / "misconceptions.toml", folder / "hidden" / "misconceptions.toml"):
        if path.is_file():
            document = tomllib.loads(path.read_text(encoding="utf-8"))
            found |= {one["belief"]: name for name, one in document.items()}
    return found


if __name__ == "__main__":
    print(page(), end="")
