"""Make a small lab, for you to change into yours."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typing_extensions import TypedDict

from lockgrader.author.new import new as make
from lockui.command import command
from lockui.console import say
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)


class NewLabAnswer(TypedDict):
    """The folder of a new lab, and the files in it."""

    folder: str
    files: list[str]


@command(app)
def new(
    folder: Annotated[
        Path, typer.Argument(help="the folder to make; its last part is the lab's name")
    ],
) -> Report[NewLabAnswer]:
    """Make a small lab that lints, with three checks, for you to change into yours."""
    files = make(folder)

    def show(view: Console) -> None:
        say(f"{folder}: {', '.join(files)}", view)
        say(f"\nread 'locklab help labs', then:\n  locklab lab lint {folder}", view)

    return Report(NewLabAnswer(folder=str(folder), files=files), show)
