"""Write a new lesson that has every part and runs.

``--json`` prints ``{"lesson"}``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from locklessons import new
from lockui.command import Detail, command
from lockui.console import say
from lockui.document import print_json

app = typer.Typer(add_completion=False)


@command(app)
def new_(
    lesson: Annotated[str, typer.Argument(help="its file's name, such as locks-on-gpus")],
    name: Annotated[str, Detail("its title; by default made from the file's name")] = "",
    out: Annotated[Path | None, Detail("a folder; by default lessons/ of the checkout")] = None,
    json: bool = False,
) -> None:
    """Write a new lesson that has every part and runs, to be filled with your own text."""
    path = new.write(lesson, name, out)
    if json:
        print_json({"lesson": str(path)})
        return
    say(f"{path}\nrun it with: locklab lesson run {path}")
    say("how to write a lesson: lessons/README.md")
