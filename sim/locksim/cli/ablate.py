"""Take one mechanism away, and show what changes.

The tables are those of ablations.md and lmbench.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer
from typing_extensions import TypedDict

from locksim.cli import values
from lockui.command import command
from lockui.completion import among
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

app = typer.Typer(add_completion=False)


class TableEntry(TypedDict):
    """A table as it is printed."""

    title: str
    columns: list[str]
    rows: list[list[str]]


class AblationAnswer(TypedDict):
    """An ablation: its tables, and what is said beside them."""

    ablation: str
    tables: list[TableEntry]
    notes: list[str]


@command(app)
def ablate(
    name: Annotated[
        str,
        typer.Argument(
            help="a name from 'locklab show ablation'", autocompletion=among(values.ablations)
        ),
    ],
) -> Report[AblationAnswer]:
    """Show the tables of one ablation."""
    from locksim.papers.ablations import find

    parts = list(find(name).view())
    document = AblationAnswer(
        ablation=name,
        tables=[_entry(part) for part in parts if not isinstance(part, str)],
        notes=[part for part in parts if isinstance(part, str)],
    )

    def show(view: Console) -> None:
        for part in parts:
            view.print(part, soft_wrap=isinstance(part, str))

    return Report(document, show)


def _entry(table: Table) -> TableEntry:
    """Return a table's texts."""
    columns = [[str(cell) for cell in column.cells] for column in table.columns]
    return TableEntry(
        title=str(table.title),
        columns=[str(column.header) for column in table.columns],
        rows=[list(row) for row in zip(*columns, strict=True)],
    )
