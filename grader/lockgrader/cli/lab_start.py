"""Make a folder with the starter, the handout and your values."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from typing_extensions import TypedDict

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
from lockui.errors import UsageError
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)


class StartAnswer(TypedDict):
    """A student's folder: the lab, the student's own values, and the files."""

    folder: str
    lab: str
    student: str
    variant: dict[str, str | int]
    files: list[str]


@command(app)
def start(
    lab: Annotated[
        str,
        typer.Argument(
            help="a lab, such as lab02 ('locklab lab list' names all), or its folder or bundle",
            autocompletion=among(values.labs),
        ),
    ],
    dir_: Annotated[Path | None, Detail("to make", default="the lab's name")] = None,
    student: Annotated[str, Detail(default="your login")] = "",
    key: Path | None = None,
) -> Report[StartAnswer]:
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
    document = StartAnswer(
        folder=str(made.folder),
        lab=state.lab,
        student=state.student,
        variant=state.variant,
        files=files,
    )

    def show(view: Console) -> None:
        say(f"{state.title}: you work in {where}", view)
        given = own is None and not student
        login = " (your login; --student NAME if the course knows you by another)" if given else ""
        say(f"  for {state.student}{login}", view)
        for value, drawn in state.variant.items():
            say(f"  your {value}: {drawn}", view)
        say(f"  files: {', '.join(files)}", view)
        enter = shlex.join(["cd", str(where)])
        say(f"\nread handout.md, then:\n  {enter}\n  locklab lab check --watch", view)

    return Report(document, show)
