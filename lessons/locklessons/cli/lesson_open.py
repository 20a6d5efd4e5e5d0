"""Write a lesson as a notebook, and open it in JupyterLab."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from typing_extensions import TypedDict

from locklessons import jupyter, notebooks
from locklessons.cli.options import LessonName
from locklessons.notebooks import LessonError
from lockui import record
from lockui.command import Detail, command
from lockui.console import say
from lockui.document import print_json

app = typer.Typer(add_completion=False)


class NotebookAnswer(TypedDict):
    """The notebook that was written; with ``--json`` it is not opened."""

    notebook: str


@command(app, answer=NotebookAnswer)
def open_(
    lesson: LessonName,
    out: Annotated[Path, Detail("for the notebook; an existing notebook is kept")] = Path(
        "lessons-notebooks"
    ),
    no_browser: Annotated[bool, Detail("and no JupyterLab: only write the notebook")] = False,
    yes: bool = False,
    json: bool = False,
) -> None:
    """Write a lesson as a notebook, and open it in JupyterLab."""
    found = notebooks.find(lesson)
    lab = jupyter.find()
    opens = not (no_browser or json)
    if opens and lab is None:
        say(jupyter.what_is_missing())
        if not (yes or (sys.stdin.isatty() and typer.confirm("Do it now?"))):
            raise LessonError(
                "JupyterLab is not installed\n"
                f"help: locklab lesson open {lesson} --yes installs it; --no-browser only writes "
                "the notebook"
            )
        lab = jupyter.install()
    path = notebooks.write(found, out)
    if json:
        print_json(NotebookAnswer(notebook=str(path)))
        return
    say(str(path))
    if opens:
        record.note("lesson", str(found.number), notebook=str(path.resolve()))
        subprocess.run([str(lab), str(path)], check=False)
