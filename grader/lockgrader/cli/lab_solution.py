"""Compare your solution with the lab's.

``--json`` prints a list of ``{"file", "diff"}``.
"""

from __future__ import annotations

from pathlib import Path

import typer

from lockgrader.workspace.folder import find
from lockgrader.workspace.solution import compare
from lockui.command import command
from lockui.console import say
from lockui.document import print_json

app = typer.Typer(add_completion=False)


@command(app)
def solution(dir_: Path = Path("."), json: bool = False) -> None:
    """Compare your solution with the lab's, once the lab is solved and its solution released."""
    made = compare(find(dir_))
    if json:
        print_json([{"file": one.file, "diff": one.diff} for one in made])
        return
    for one in made:
        say(one.diff or f"{one.file}: equal")
