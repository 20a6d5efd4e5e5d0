"""Make the archive to hand in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typing_extensions import TypedDict

from lockgrader.cli.lab_show import say_wrapped
from lockgrader.cli.sandbox import HERE, OwnWork, usable
from lockgrader.read.record import RECORD
from lockgrader.workspace.folder import find
from lockgrader.workspace.submit import default_name
from lockgrader.workspace.submit import submit as hand_in
from lockui.command import Detail, command
from lockui.console import warn
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)


class SubmitAnswer(TypedDict):
    """The archive, and warnings about what could not be graded."""

    file: str
    files: list[str]
    sha256: str
    warnings: list[str]


@command(app)
def submit(
    out: Annotated[Path | None, Detail("the archive", default="NAME-LAB.zip here")] = None,
    dir_: Path = Path("."),
    sandbox: OwnWork = HERE,
) -> Report[SubmitAnswer]:
    """Make the archive to hand in, and warn about what could not be graded."""
    space = find(dir_)
    state = space.state
    path = out or Path(default_name(state))
    made = hand_in(space, path, usable(sandbox))
    document = SubmitAnswer(
        file=str(path),
        files=list(made.files),
        sha256=made.sha256,
        warnings=list(made.warnings),
    )

    def show(_: Console) -> None:
        for warning in made.warnings:
            warn(warning)
        say_wrapped(f"{path}: {', '.join(made.files)}, {RECORD} (your locked predictions)", "")
        if state.verdicts:
            best = f"{state.best:.4g} of {state.max_points:g}"
            say_wrapped(f"best so far: {best} public points", "  ")
        say_wrapped("hand in this file; the grader also runs hidden checks", "  ")

    return Report(document, show)
