"""A new lesson from a template that has every part of one, and runs."""

from __future__ import annotations

import re
from pathlib import Path

from locklessons import notebooks
from locklessons.notebooks import LessonError

__all__ = ["write"]

TEMPLATE = Path(__file__).parent / "template" / "lesson.md"


def write(name: str, title: str = "", folder: Path | None = None) -> Path:
    """Write a lesson with the next free number.

    Arguments:
        name: small letters, digits and '-'. title: of the page; by default made from the name.
        folder: where; by default the lessons' folder of a checkout, else the current one.

    Returns:
        The file.

    Raises:
        LessonError: the name will not do, or is taken.
    """
    if not re.fullmatch(r"[a-z][a-z0-9-]{0,49}", name):
        raise LessonError(f"'{name}' is not a name: use small letters, digits and '-'")
    known = notebooks.lessons()
    if folder is None:
        checkout = (notebooks.FOLDER.parent / "Makefile").exists()
        folder = notebooks.FOLDER if checkout else Path()
    beside = notebooks.lessons(folder)
    if name in {lesson.name for lesson in [*known, *beside]}:
        raise LessonError(f"there is a lesson '{name}' already; choose another name")
    number = max(lesson.number for lesson in [*known, *beside]) + 1
    text = TEMPLATE.read_text("utf-8")
    text = text.replace("NUMBER", str(number))
    text = text.replace("TITLE", title or name.replace("-", " ").capitalize())
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{number:02}-{name}.md"
    path.write_text(text, encoding="utf-8")
    return path
