"""Say what has changed since the course pinned its labs.

``--json`` prints ``{lab: [changes]}``.
"""

from __future__ import annotations

import typer

from lockgrader.cli.options import CourseFile
from lockgrader.course import load
from lockgrader.course.pins import changes, pinned
from lockgrader.lab import load as load_lab
from locklabs import find
from lockui.command import command
from lockui.console import say
from lockui.document import print_json

app = typer.Typer(add_completion=False)


@command(app)
def check(course: CourseFile, json: bool = False) -> None:
    """Say what has changed since the course pinned its labs. Exit code 1: something has."""
    about = load(course)
    about.people()
    found = {
        name: changes(held, load_lab(find(about.place_of(name))))
        for name, held in pinned(course).items()
    }
    if json:
        print_json(found)
    else:
        for name, differs in found.items():
            say(f"{name}: {'; '.join(differs) or 'as pinned'}")
        if not found:
            say("no lab is pinned; pin them: locklab course pin COURSE.toml")
    if any(found.values()):
        raise typer.Exit(1)
