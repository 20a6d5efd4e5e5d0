"""List the lessons.

``--json`` prints a list of ``{"number", "name", "title"}``.
"""

from __future__ import annotations

import typer

from locklessons import notebooks
from lockui import tables
from lockui.command import command
from lockui.console import console
from lockui.document import print_json

app = typer.Typer(add_completion=False)


@command(app)
def list_(json: bool = False) -> None:
    """List the lessons."""
    found = notebooks.lessons()
    if json:
        print_json([{"number": e.number, "name": e.name, "title": e.title} for e in found])
        return
    table = tables.table()
    for column in ("lesson", "name", "title"):
        tables.add(table, column, fold=column == "title")
    for lesson in found:
        table.add_row(str(lesson.number), lesson.name, lesson.title)
    tables.print_table(console(), table)
