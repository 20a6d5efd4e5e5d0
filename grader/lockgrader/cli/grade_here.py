"""Grade the submission of this machine (called by bundles)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lockgrader.cli.answers import ResultAnswer, document
from lockgrader.cli.platforms import Platform, module_of
from lockui.command import command
from lockui.console import say
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

    from lockgrader.platforms.here import Graded

app = typer.Typer(add_completion=False)


@command(app)
def here(
    platform: Platform,
    root: Annotated[
        Path | None,
        typer.Argument(help="the platform's folder, by default where it is there"),
    ] = None,
) -> Report[ResultAnswer]:
    """Grade the submission of this machine (called by what a bundle holds).

    Exit code 0: graded. 1: GitHub Actions with public checks only: not all have passed. 3: the
    grader failed in some check (internal error); grade again.
    """
    module = module_of(platform)
    graded: Graded = module.run(module.ROOT if root is None else root)
    result = graded.result

    def show(view: Console) -> None:
        say(f"{result.student}: {result.points:g} of {result.graded_points:g} points", view)

    return Report(document(result), show, graded.code)
