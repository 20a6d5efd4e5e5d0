"""List the lessons."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer
from typing_extensions import TypedDict

from locklessons import notebooks
from lockui import tables
from lockui.command import command
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)


class LessonEntry(TypedDict):
    """A lesson."""

    number: int
    name: str
    title: str


@command(app)
def list_() -> Report[list[LessonEntry]]:
    """List the lessons."""
    found = notebooks.lessons()

    def show(view: Console) -> None:
        table = tables.table()
        for column in ("lesson", "name", "title"):
            tables.add(table, column, fold=column == "title")
        for lesson in found:
            table.add_row(str(lesson.number), lesson.name, lesson.title)
        tables.print_table(view, table)

    return Report([LessonEntry(number=e.number, name=e.name, title=e.title) for e in found], show)
