"""Write a new lesson that has every part and runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typing_extensions import TypedDict

from locklessons import new
from lockui.command import Detail, command
from lockui.console import say
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)


class NewLessonAnswer(TypedDict):
    """The file of a new lesson."""

    lesson: str


@command(app)
def new_(
    lesson: Annotated[str, typer.Argument(help="its file's name, such as locks-on-gpus")],
    name: Annotated[str, Detail("its title", default="made from the file's name")] = "",
    out: Annotated[Path | None, Detail("a folder", default="lessons/ of the checkout")] = None,
) -> Report[NewLessonAnswer]:
    """Write a new lesson that has every part and runs, to be filled with your own text."""
    path = new.write(lesson, name, out)

    def show(view: Console) -> None:
        say(f"{path}\nrun it with: locklab lesson run {path}", view)
        say("how to write a lesson: lessons/README.md", view)

    return Report(NewLessonAnswer(lesson=str(path)), show)
