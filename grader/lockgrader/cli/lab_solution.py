"""Compare your solution with the lab's."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from lockgrader.workspace.folder import find
from lockgrader.workspace.solution import Compared, compare
from lockui.command import command
from lockui.console import say
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)


@command(app)
def solution(dir_: Path = Path(".")) -> Report[list[Compared]]:
    """Compare your solution with the lab's, once the lab is solved and its solution released."""
    made = compare(find(dir_))

    def show(view: Console) -> None:
        for one in made:
            say(one.diff or f"{one.file}: equal", view)

    return Report(made, show)
