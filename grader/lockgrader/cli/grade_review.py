"""Read results side by side, and give points by hand."""

from __future__ import annotations

import getpass
from pathlib import Path
from typing import Annotated

import typer

from lockgrader.cli import values
from lockgrader.cli.options import Results
from lockgrader.export import load_all
from lockgrader.result import Result
from lockgrader.review.marking import Desk
from lockgrader.review.rubric import rubric
from locklabs import find
from lockui.arguments import bounded
from lockui.command import Detail, command
from lockui.completion import among
from lockui.console import say
from lockui.errors import UsageError

app = typer.Typer(add_completion=False)


@command(app)
def review(
    results: Results,
    lab: Annotated[
        str,
        typer.Argument(
            help="the lab's folder or name, for its rubric; by default as graded",
            autocompletion=among(values.labs),
        ),
    ] = "",
    marks: Annotated[Path | None, Detail("give these, and show no page")] = None,
    by: Annotated[str, Detail(default="this machine's user")] = "",
    port: int = 0,
    gradebook: Annotated[str, Detail(default="RESULTS/gradebook.sqlite")] = "",
) -> None:
    """Read results side by side and give points by hand, on a page of this machine.

    The printed link holds a token; whoever has it can read and mark. Ctrl-C ends the server and
    writes the tables anew.
    """
    bounded(port, "--port", 0, 65535)
    found = load_all(results)
    folder = _lab_of(lab, found)
    desk = Desk(
        results, by or getpass.getuser(), {} if folder is None else rubric(folder), gradebook
    )
    if gradebook:
        from lockgrader.export.gradebook import Gradebook

        Gradebook(gradebook).close()
    if marks is not None:
        count = desk.mark_sheet(marks)
        desk.publish()
        say(f"{count} marks given")
        return
    try:
        from lockgrader.review.server import serve
    except ModuleNotFoundError as error:
        if error.name != "tornado":
            raise
        raise UsageError(
            "the page needs Tornado, which is not installed\nhelp: pip install 'locklab[course]'"
        ) from error
    try:
        serve(desk, port, lambda link: say(f"{link}\nCtrl-C ends it"))
    except OSError as error:
        raise UsageError(f"--port {port}: {error.strerror}; leave --port out") from error
    desk.publish()
    say("tables and pages are written anew")


def _lab_of(name: str, results: list[Result]) -> Path | None:
    """The lab's folder, for its rubric; None if it is not here and nobody asked for it."""
    if name:
        return find(name)
    try:
        return find(results[0].lab)
    except Exception as error:
        if getattr(error, "exit_code", None) != 2:
            raise
        return None
