"""Make a folder with the starter, the handout and your values.

``--json`` prints ``{"folder", "lab", "student", "variant", "files"}``.
"""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from lockgrader.author import bundle
from lockgrader.cli import values
from lockgrader.lab import Lab
from lockgrader.lab.variants import course_key, variant
from lockgrader.workspace import folder as workspaces
from locklabs import find
from lockui import record
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import say
from lockui.document import print_json
from lockui.errors import UsageError

app = typer.Typer(add_completion=False)


@command(app)
def start(
    lab: Annotated[
        str,
        typer.Argument(
            help="a lab's name, folder or bundle (.zip)", autocompletion=among(values.labs)
        ),
    ],
    dir_: Annotated[Path | None, Detail("to make; by default the lab's name")] = None,
    student: Annotated[str, Detail("by default your login")] = "",
    key: Path | None = None,
    json: bool = False,
) -> None:
    """Make a folder with the starter, the handout and your own values. Nothing is overwritten."""
    is_zip = lab.endswith(".zip")
    if is_zip and not Path(lab).is_file():
        raise UsageError(f"{lab} is not a file; name the bundle that you received")
    source = bundle.read(Path(lab) if is_zip else find(lab))
    own = source.own
    if own is not None and student not in ("", own.student):
        raise UsageError(f"{lab} is the bundle of {own.student}; --student {student} needs another")
    name = workspaces.student_name(own.student if own else student)
    secret = course_key(key)

    def draw(loaded: Lab) -> dict[str, str | int]:
        return own.variant if own is not None else variant(loaded, name, secret)

    where = dir_ or Path(bundle.name_of(source))
    made = workspaces.start(source.files, where, student=name, draw=draw)
    state = made.state
    record.note("lab", state.lab, folder=str(made.folder))
    files = sorted(p.name for p in made.folder.iterdir() if not p.name.startswith("."))
    if json:
        document = {"folder": str(made.folder), "lab": state.lab, "student": state.student}
        print_json(document | {"variant": state.variant, "files": files})
        return
    say(f"{state.title}: you work in {where}")
    given = own is None and not student
    login = " (your login; --student NAME if the course knows you by another)" if given else ""
    say(f"  for {state.student}{login}")
    for value, drawn in state.variant.items():
        say(f"  your {value}: {drawn}")
    say(f"  files: {', '.join(files)}")
    enter = shlex.join(["cd", str(where)])
    say(f"\nread handout.md, then:\n  {enter}\n  locklab lab check --watch")
