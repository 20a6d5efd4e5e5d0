"""Run a lesson from top to bottom."""

from __future__ import annotations

import typer
from typing_extensions import TypedDict

from locklessons import notebooks
from locklessons.cli.options import LessonName
from lockui.command import command
from lockui.console import say
from lockui.report import Report

app = typer.Typer(add_completion=False)


class RunLessonAnswer(TypedDict):
    """A lesson, and the number of its cells, all of which ran."""

    lesson: str
    cells: int


@command(app)
def run(lesson: LessonName) -> Report[RunLessonAnswer]:
    """Run a lesson from top to bottom in a new kernel, and report whether every cell ran."""
    found = notebooks.find(lesson)
    cells = sum(cell.cell_type == "code" for cell in notebooks.run(found).cells)
    answer = RunLessonAnswer(lesson=found.name, cells=cells)
    return Report(answer, lambda view: say(f"{found.title}: {cells} cells ran", view))
