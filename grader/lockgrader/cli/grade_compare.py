"""List every mark and verdict that differs between two gradings."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lockgrader.batch.compare import Change
from lockgrader.batch.compare import compare as differences
from lockgrader.cli.show import say_changes
from lockgrader.export import load_all
from lockui.command import command
from lockui.console import warn
from lockui.report import Report

app = typer.Typer(add_completion=False)


@command(app)
def compare(
    old: Annotated[Path, typer.Argument(help="a folder of results")],
    new: Annotated[Path, typer.Argument(help="another, of the same submissions")],
) -> Report[list[Change]]:
    """List every mark and verdict that differs between two gradings.

    Exit code 0: none; 1: some.
    """
    found = differences(load_all(old), load_all(new))
    left_out = {"lateness": found.late, "marks by hand": found.marked}

    def after() -> None:
        for what, students in left_out.items():
            if students:
                of = f"{len(students)} students of whom one grading alone has it"
                warn(f"{what}: left out for {of}")

    differ = int(bool(found.changes))
    return Report(list(found.changes), lambda _: say_changes(found), differ, after)
