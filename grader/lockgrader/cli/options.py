"""The arguments and options that several commands of labs and grading have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lockgrader.cli import values
from lockui.completion import among

LabName = Annotated[
    str, typer.Argument(help="the lab's folder or name", autocompletion=among(values.labs))
]
Results = Annotated[Path, typer.Argument(help="the folder of locklab grade --out")]
CourseFile = Annotated[Path, typer.Argument(help="the course's file, course.toml")]
