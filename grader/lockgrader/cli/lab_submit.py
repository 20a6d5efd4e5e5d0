"""Make the archive to hand in.

``--json`` prints ``{"file", "files", "sha256", "warnings"}``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lockgrader.cli.lab_show import say_wrapped
from lockgrader.cli.sandbox import OwnWork, usable
from lockgrader.read.record import RECORD
from lockgrader.workspace.folder import find
from lockgrader.workspace.submit import default_name
from lockgrader.workspace.submit import submit as hand_in
from lockui.command import Detail, command
from lockui.console import warn
from lockui.document import print_json

app = typer.Typer(add_completion=False)


@command(app)
def submit(
    out: Annotated[Path | None, Detail("the archive; by default NAME-LAB.zip here")] = None,
    dir_: Path = Path("."),
    sandbox: OwnWork = "namespaces",
    json: bool = False,
) -> None:
    """Make the archive to hand in, and warn about what could not be graded."""
    space = find(dir_)
    state = space.state
    path = out or Path(default_name(state))
    made = hand_in(space, path, usable(sandbox))
    if json:
        document = {"file": str(path), "files": list(made.files), "sha256": made.sha256}
        print_json(document | {"warnings": list(made.warnings)})
        return
    for warning in made.warnings:
        warn(warning)
    say_wrapped(f"{path}: {', '.join(made.files)}, {RECORD} (your locked predictions)", "")
    if state.verdicts:
        say_wrapped(f"best so far: {state.best:.4g} of {state.max_points:g} public points", "  ")
    say_wrapped("hand in this file; the grader also runs hidden checks", "  ")
