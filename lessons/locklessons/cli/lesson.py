"""List the lessons, open one in JupyterLab, run one, or write a new one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from locklessons import jupyter, new, notebooks
from locklessons.notebooks import LessonError
from lockui import record
from lockui.completion import among
from lockui.console import say

app = typer.Typer(no_args_is_help=True, help=__doc__, rich_markup_mode=None, add_completion=False)

_Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout, nothing else.")]


def _lessons() -> list[str]:
    found = notebooks.lessons()
    return [*(str(one.number) for one in found), *(one.name for one in found)]


_Which = Annotated[
    str,
    typer.Argument(
        help="Number or name of the lesson, or its file.",
        metavar="LESSON",
        autocompletion=among(_lessons),
    ),
]


@app.command("list")
def list_(as_json: _Json = False) -> None:
    """List the lessons."""
    found = notebooks.lessons()
    if as_json:
        rows = [{"number": e.number, "name": e.name, "title": e.title} for e in found]
        print(json.dumps(rows))
        return
    table = Table(box=None)
    for column in ("lesson", "name", "title"):
        table.add_column(column)
    for lesson in found:
        table.add_row(str(lesson.number), lesson.name, lesson.title)
    Console().print(table)


@app.command("open")
def open_(
    which: _Which,
    folder: Annotated[
        Path, typer.Option(help="Folder for the notebook; an existing notebook is kept.")
    ] = Path("lessons-notebooks"),
    browser: Annotated[bool, typer.Option(help="Start JupyterLab with the notebook.")] = True,
    yes: Annotated[
        bool, typer.Option("--yes", help="Install JupyterLab without asking if it is missing.")
    ] = False,
    as_json: _Json = False,
) -> None:
    """Write a lesson as a notebook, and open it in JupyterLab."""
    lesson = notebooks.find(which)
    lab = jupyter.find()
    if browser and not as_json and lab is None:
        say(jupyter.what_is_missing())
        if not (yes or (sys.stdin.isatty() and typer.confirm("Do it now?"))):
            raise LessonError(
                "JupyterLab is not installed\n"
                f"help: locklab lesson open {which} --yes installs it; --no-browser only writes "
                "the notebook"
            )
        lab = jupyter.install()
    path = notebooks.write(lesson, folder)
    if as_json:
        print(json.dumps({"notebook": str(path)}))
        return
    print(path)
    if browser:
        record.note("lesson", str(lesson.number), notebook=str(path.resolve()))
        subprocess.run([str(lab), str(path)], check=False)


@app.command()
def run(which: _Which, as_json: _Json = False) -> None:
    """Run a lesson from top to bottom in a new kernel, and report whether every cell ran."""
    lesson = notebooks.find(which)
    cells = sum(cell.cell_type == "code" for cell in notebooks.run(lesson).cells)
    if as_json:
        print(json.dumps({"lesson": lesson.name, "cells": cells}))
    else:
        print(f"{lesson.title}: {cells} cells ran")


@app.command("new")
def new_(
    name: Annotated[str, typer.Argument(help="Its name, such as locks-on-gpus.")],
    title: Annotated[str, typer.Option(help="Its title; by default made from the name.")] = "",
    folder: Annotated[
        Path | None, typer.Option("--dir", help="Where to write it; in a checkout, lessons/.")
    ] = None,
    as_json: _Json = False,
) -> None:
    """Write a new lesson that has every part and runs, to be filled with your own text."""
    path = new.write(name, title, folder)
    if as_json:
        print(json.dumps({"lesson": str(path)}))
        return
    say(f"{path}\nrun it with: locklab lesson run {path}")
    say("how to write a lesson: docs/contributing/adding-a-lesson.md")
