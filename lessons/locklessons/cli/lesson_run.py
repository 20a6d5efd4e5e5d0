"""Run a lesson from top to bottom.

``--json`` prints ``{"lesson", "cells"}``.
"""

from __future__ import annotations

import typer

from locklessons import notebooks
from locklessons.cli.options import LessonName
from lockui.command import command
from lockui.console import say
from lockui.document import print_json

app = typer.Typer(add_completion=False)


@command(app)
def run(lesson: LessonName, json: bool = False) -> None:
    """Run a lesson from top to bottom in a new kernel, and report whether every cell ran."""
    found = notebooks.find(lesson)
    cells = sum(cell.cell_type == "code" for cell in notebooks.run(found).cells)
    if json:
        print_json({"lesson": found.name, "cells": cells})
    else:
        say(f"{found.title}: {cells} cells ran")
