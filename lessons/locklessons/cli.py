"""List the lessons, open one in JupyterLab, or run one."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from locklessons import notebooks
from locklessons.notebooks import LessonError

app = typer.Typer(no_args_is_help=True, help=__doc__, rich_markup_mode=None)

_Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout, nothing else.")]


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
    which: Annotated[str, typer.Argument(help="Number or name of the lesson.", metavar="LESSON")],
    folder: Annotated[
        Path, typer.Option(help="Folder for the notebook; an existing notebook is kept.")
    ] = Path("lessons-notebooks"),
    browser: Annotated[bool, typer.Option(help="Start JupyterLab with the notebook.")] = True,
    as_json: _Json = False,
) -> None:
    """Write a lesson as a notebook, and open it in JupyterLab."""
    path = notebooks.write(notebooks.find(which), folder)
    if as_json:
        print(json.dumps({"notebook": str(path)}))
    else:
        print(path)
    if not browser or as_json:
        return
    lab = Path(sys.executable).with_name("jupyter-lab")
    if not lab.exists() and shutil.which("jupyter-lab") is None:
        raise LessonError(
            f"wrote {path}, but JupyterLab is not installed\nhelp: pip install 'locklab[notebook]'"
        )
    subprocess.run([str(lab) if lab.exists() else "jupyter-lab", str(path)], check=False)


@app.command()
def run(
    which: Annotated[str, typer.Argument(help="Number or name of the lesson.", metavar="LESSON")],
    as_json: _Json = False,
) -> None:
    """Run a lesson from top to bottom in a new kernel, and report whether every cell ran."""
    lesson = notebooks.find(which)
    cells = sum(cell.cell_type == "code" for cell in notebooks.run(lesson).cells)
    if as_json:
        print(json.dumps({"lesson": lesson.name, "cells": cells}))
    else:
        print(f"{lesson.title}: {cells} cells ran")
