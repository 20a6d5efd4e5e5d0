"""Show the next hint for a check that fails."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lockgrader.cli import values
from lockgrader.cli.lab_show import show_hint
from lockgrader.workspace.folder import find
from lockgrader.workspace.hints import Shown, next_hint
from lockui.command import command
from lockui.completion import among
from lockui.report import Report

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
) -> Report[Shown]:
    """Show the next hint for a check that fails.

    Another one comes after another try, or after five minutes.
    """
    shown = next_hint(find(dir_), name)
    return Report(shown, lambda _: show_hint(shown))
