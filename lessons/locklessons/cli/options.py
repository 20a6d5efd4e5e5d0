"""The argument that commands of lessons share."""

from __future__ import annotations

from typing import Annotated

import typer

from lockui.completion import among


def _lessons() -> list[str]:
    from locklessons import notebooks

    found = notebooks.lessons()
    return [*(str(one.number) for one in found), *(one.name for one in found)]


LessonName = Annotated[
    str,
    typer.Argument(
        help="number or name of the lesson, or its file", autocompletion=among(_lessons)
    ),
]
