"""Make a small lab, for you to change into yours.

``--json`` prints ``{"folder", "files"}``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lockgrader.author.new import new as make
from lockui.command import command
from lockui.console import say
from lockui.document import print_json

app = typer.Typer(add_completion=False)


@command(app)
def new(
    folder: Annotated[
        Path, typer.Argument(help="the folder to make; its last part is the lab's name")
    ],
    json: bool = False,
) -> None:
    """Make a small lab that lints, with three checks, for you to change into yours."""
    files = make(folder)
    if json:
        print_json({"folder": str(folder), "files": files})
        return
    say(f"{folder}: {', '.join(files)}")
    say(f"\nread 'locklab help labs', then:\n  locklab lab lint {folder}")
