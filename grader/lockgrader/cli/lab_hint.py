"""Give the next hint to a check.

``--json`` prints ``{"check", "title", "texts", "of", "wait_minutes"}``.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from lockgrader.cli import values
from lockgrader.cli.lab_show import show_hint
from lockgrader.workspace.folder import find
from lockgrader.workspace.hints import next_hint
from lockui.command import command
from lockui.completion import among
from lockui.document import print_json

app = typer.Typer(add_completion=False)


@command(app)
def hint(
    name: Annotated[
        str,
        typer.Argument(
            help="a check; by default the next one to fix",
            metavar="CHECK",
            autocompletion=among(values.checks),
        ),
    ] = "",
    dir_: Path = Path("."),
    json: bool = False,
) -> None:
    """Give the next hint; another one comes after another try or five minutes."""
    shown = next_hint(find(dir_), name)
    if json:
        print_json(asdict(shown))
    else:
        show_hint(shown)
