"""List every mark and verdict that differs between two gradings.

``--json`` prints a list of ``{"student", "check", "was", "now"}``.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from lockgrader.batch.compare import compare as differences
from lockgrader.cli.show import say_changes
from lockgrader.export import load_all
from lockui.command import command
from lockui.console import warn
from lockui.document import print_json

app = typer.Typer(add_completion=False)


@command(app)
def compare(
    old: Annotated[Path, typer.Argument(help="a folder of results")],
    new: Annotated[Path, typer.Argument(help="another, of the same submissions")],
    json: bool = False,
) -> None:
    """List every mark and verdict that differs between two gradings.

    Exit code 0: none; 1: some.
    """
    found = differences(load_all(old), load_all(new))
    if json:
        print_json([asdict(change) for change in found.changes])
    else:
        say_changes(found)
    for what, students in (("lateness", found.late), ("marks by hand", found.marked)):
        if students:
            warn(f"{what}: left out for {len(students)} students of whom one grading alone has it")
    if found.changes:
        raise typer.Exit(1)
