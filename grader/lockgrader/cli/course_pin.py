"""Note the labs and versions with which a course grades."""

from __future__ import annotations

from typing import Annotated

import typer

from lockgrader.cli import values
from lockgrader.cli.options import CourseFile
from lockgrader.course import load
from lockgrader.course.pins import pin as note
from lockgrader.lab import load as load_lab
from locklabs import find
from lockui.command import command
from lockui.completion import among
from lockui.console import say

app = typer.Typer(add_completion=False)


@command(app)
def pin(
    course: CourseFile,
    labs: Annotated[
        list[str] | None,
        typer.Argument(help="labs; by default those it names", autocompletion=among(values.labs)),
    ] = None,
) -> None:
    """Note the digests of labs, sources and machines in course.lock, beside the course's file.

    locklab grade --course then refuses a pinned lab that would be graded otherwise.
    """
    about = load(course)
    named = labs or [*about.lab]
    path = note(course, [load_lab(find(about.place_of(name))) for name in named])
    say(f"{path}: {', '.join(named) or 'no lab'}")
