"""Write the tables that a check gives to your function."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typing_extensions import TypedDict

from lockgrader.cli import values
from lockgrader.workspace.folder import find
from lockgrader.workspace.given import write_given
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import say
from lockui.errors import saving
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)


class GivenAnswer(TypedDict):
    """The files that were written, and the arguments that are no tables."""

    files: list[str]
    arguments: dict[str, Any]


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
) -> Report[GivenAnswer]:
    """Write the tables that a check gives to your function, to try it on them."""
    with saving("--out"):
        files, others = write_given(find(dir_), name, out)

    def show(view: Console) -> None:
        for file in files:
            say(f"{file}: what {name} gives", view)
        for argument, value in others.items():
            say(f"  {argument} = {value}", view)

    return Report(GivenAnswer(files=[str(file) for file in files], arguments=others), show)
