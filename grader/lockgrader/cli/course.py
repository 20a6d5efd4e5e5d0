"""A course: pin the labs and versions with which it grades, and see what has changed since.

``--json`` prints ``{lab: [changes]}``.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lockgrader.cli import values
from lockui.completion import among
from lockui.console import say
from lockui.document import print_json
from lockui.errors import reported

app = typer.Typer(help=__doc__.partition("\n")[0], add_completion=False, no_args_is_help=True)

_File = Annotated[Path, typer.Argument(help="the course's file, course.toml")]


@app.command()
@reported()
def pin(
    course: _File,
    labs: Annotated[
        list[str] | None,
        typer.Argument(help="labs; by default those it names", autocompletion=among(values.labs)),
    ] = None,
) -> None:
    """Note the digests of labs, sources and machines in course.lock, beside the course's file.

    ``locklab grade --course`` then refuses a pinned lab that would be graded otherwise.
    """
    from lockgrader.course import load
    from lockgrader.course.pins import pin as note
    from lockgrader.lab import load as load_lab
    from locklabs import find

    about = load(course)
    named = labs or [*about.lab]
    path = note(course, [load_lab(find(about.place_of(name))) for name in named])
    say(f"{path}: {', '.join(named) or 'no lab'}")


@app.command()
@reported()
def check(
    course: _File,
    as_json: Annotated[bool, typer.Option("--json", help="print JSON only")] = False,
) -> None:
    """Say what has changed since the course pinned its labs. Exit code 1: something has."""
    from lockgrader.course import load
    from lockgrader.course.pins import changes, pinned
    from lockgrader.lab import load as load_lab
    from locklabs import find

    about = load(course)
    about.people()
    found = {
        name: changes(held, load_lab(find(about.place_of(name))))
        for name, held in pinned(course).items()
    }
    if as_json:
        print_json(found)
    else:
        for name, differs in found.items():
            say(f"{name}: {'; '.join(differs) or 'as pinned'}")
        if not found:
            say("no lab is pinned; pin them: locklab course pin COURSE.toml")
    if any(found.values()):
        raise typer.Exit(1)
