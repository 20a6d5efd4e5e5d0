"""Make an autograder for Gradescope: short for locklab grade bundle gradescope."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lockgrader.cli import platforms, values
from lockui.completion import among

app = typer.Typer(help=__doc__.partition("\n")[0], add_completion=False, no_args_is_help=True)


@app.callback()
def _with_subcommands() -> None:
    """Make an autograder for Gradescope: short for locklab grade bundle gradescope."""


@app.command()
def bundle(
    lab: Annotated[
        str,
        typer.Argument(help="the lab's folder or name", autocompletion=among(values.labs)),
    ],
    out: Annotated[Path, typer.Option("--out", "-o", help="the zip")] = Path("autograder.zip"),
    key: platforms.Key = None,
    student: platforms.Student = "email",
    seconds: platforms.Seconds = 540,
    as_json: platforms.Json = False,
) -> None:
    """Write a zip to upload under Configure Autograder."""
    platforms.bundle(
        "gradescope", lab, out=out, key=key, student=student, seconds=seconds, as_json=as_json
    )
