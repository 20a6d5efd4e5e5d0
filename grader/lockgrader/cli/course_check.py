"""Say what has changed since the course pinned its labs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from pydantic import Field

from lockgrader.cli.options import CourseFile
from lockgrader.course import load
from lockgrader.course.pins import changes, pinned
from lockgrader.lab import load as load_lab
from locklabs import find
from lockui.command import command
from lockui.console import say
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

app = typer.Typer(add_completion=False)

Changes = Annotated[dict[str, list[str]], Field(description="lab → what has changed in it")]


@command(app)
def check(course: CourseFile) -> Report[Changes]:
    """Say what has changed since the course pinned its labs. Exit code 1: something has."""
    about = load(course)
    about.people()
    found = {
        name: changes(held, load_lab(find(about.place_of(name))))
        for name, held in pinned(course).items()
    }

    def show(view: Console) -> None:
        for name, differs in found.items():
            say(f"{name}: {'; '.join(differs) or 'as pinned'}", view)
        if not found:
            say("no lab is pinned; pin them: locklab course pin COURSE.toml", view)

    return Report(found, show, int(any(found.values())))
