"""Write the tables that a check gives to your function.

``--json`` prints ``{"files", "arguments"}``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lockgrader.cli import values
from lockgrader.workspace.folder import find
from lockgrader.workspace.given import write_given
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import say
from lockui.document import print_json
from lockui.errors import saving

app = typer.Typer(add_completion=False)


@command(app)
def given(
    name: Annotated[
        str,
        typer.Argument(
            help="a check of a function of yours",
            metavar="CHECK",
            autocompletion=among(values.checks),
        ),
    ],
    out: Annotated[Path, Detail("a file: .json, .csv or .parquet")],
    dir_: Path = Path("."),
    json: bool = False,
) -> None:
    """Write the tables that a check gives to your function, to try it on them."""
    with saving("--out"):
        files, others = write_given(find(dir_), name, out)
    if json:
        print_json({"files": [str(file) for file in files], "arguments": others})
        return
    for file in files:
        say(f"{file}: what {name} gives")
    for argument, value in others.items():
        say(f"  {argument} = {value}")
