"""List published tables; show one as printed, as corrected, and its source."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer
from rich import box
from rich.console import Console, Group
from rich.markup import escape
from rich.padding import Padding
from rich.table import Table as RichTable
from typing_extensions import TypedDict

from lockdata.frames import tidy
from lockdata.printed import number
from lockdata.store import Cell, Table, names, read
from lockui.command import Detail, command
from lockui.completion import among
from lockui.report import Report

if TYPE_CHECKING:
    from lockdata.info import TableInfo

#: Columns of the list of tables, also in a pipe.
WIDTH = 80

COLUMNS = ("name", "title", "rows", "cells", "misprints")
READINGS = ("corrected", "printed", "both")

app = typer.Typer(add_completion=False)


class TableEntry(TypedDict):
    """A published table; ``misprints`` counts the cells that were corrected."""

    name: str
    title: str
    rows: int
    cells: int
    misprints: int


class TablesAnswer(TypedDict):
    """The published tables."""

    tables: list[TableEntry]


class TableAnswer(TypedDict):
    """A table: for each cell its keys, value, unit and place."""

    name: str
    title: str
    reading: str
    cells: list[dict[str, Any]]


@command(app)
def data(
    name: Annotated[
        str,
        typer.Argument(
            help="one of them; without a name, all are listed", autocompletion=among(names)
        ),
    ] = "",
    as_: Annotated[str, Detail("corrected, printed, or both", among(READINGS))] = "corrected",
    explain: Annotated[bool, Detail("source, units, keys, corrections, notes")] = False,
) -> Report[TablesAnswer | TableAnswer | dict[str, Any]]:
    """List the published tables, or show one: as corrected, as printed, or both."""
    if not name:
        infos = [read(one).info for one in names()]
        rows = [{key: getattr(info, key) for key in COLUMNS} for info in infos]
        return Report(cast("TablesAnswer", {"tables": rows}), lambda _: _list(infos))
    if explain:
        info = read(name).info
        about = {**asdict(info), "misprints": info.misprints, "provenance": info.provenance}
        return Report(about, lambda _: _console().print(info.text(), markup=False, highlight=False))
    table = read(name)
    columns, found = tidy(table, as_)
    cells = [dict(zip(columns, row, strict=True)) for row in found]
    answer = TableAnswer(name=name, title=table.info.title, reading=as_, cells=cells)
    return Report(answer, lambda _: _show(table, as_))


def _list(infos: list[TableInfo]) -> None:
    """Print the names of tables, and what they hold."""
    table = RichTable(title="Published tables", box=box.SIMPLE_HEAD, pad_edge=False)
    # The title stands below the name, so that both fit into 80 columns.
    table.add_column("table", overflow="fold")
    for column in COLUMNS[2:]:
        table.add_column(column, justify="right", no_wrap=True)
    for info in infos:
        name = Group(escape(info.name), Padding(escape(info.title), (0, 0, 0, 2)))
        table.add_row(name, *(str(getattr(info, c)) for c in COLUMNS[2:]))
    console = _console()
    console.print(table, width=min(console.width, WIDTH))


def _show(table: Table, reading: str) -> None:
    """Print a table in one of the readings."""
    info = table.info
    console = _console()
    for part in _wide(table, reading, console.width):
        console.print(part)
    if reading == "printed":  # who looks for a misprint must not read the answer below
        if info.corrections:
            line = "as printed; some cells are read differently: "
            console.print(f"{line}locklab show data {info.name} --explain", markup=False)
        return
    for correction in info.corrections:
        line = f"{correction.reason} ({correction.cells} cells): {correction.text}"
        console.print(line, markup=False, highlight=False)


def _wide(table: Table, reading: str, width: int) -> list[RichTable]:
    """Return a table as rows and columns, in the order of the source.

    A table wider than ``width`` is split into parts; each part has all rows.
    """
    info = table.info
    columns, rows = tidy(table, "printed" if reading == "printed" else "corrected")
    down = [columns.index(k) for k in info.row_keys]
    across = [columns.index(k) for k in info.column_keys]
    grid: dict[tuple[Any, ...], dict[tuple[Any, ...], str]] = {}
    # Every reading lists the cells in the same order, so a row and its cell go together.
    for row, cell in zip(rows, table.cells, strict=True):
        line = grid.setdefault(tuple(row[i] for i in down), {})
        line[tuple(row[i] for i in across)] = _cell_text(cell, reading)
    seen = [list(dict.fromkeys(row[i] for row in rows)) for i in across]
    heads = sorted(
        {head for line in grid.values() for head in line},
        key=lambda head: [values.index(part) for values, part in zip(seen, head, strict=True)],
    )
    title = f"{info.title} ({reading}; {', '.join(info.units)})"

    def part(chosen: list[tuple[Any, ...]]) -> RichTable:
        out = RichTable(title=title)
        for key in info.row_keys:
            out.add_column(key, overflow="fold")
        for head in chosen:
            out.add_column("\n".join(map(str, head)) or "value", justify="right", overflow="fold")
        for place, line in grid.items():
            out.add_row(*map(str, place), *(line.get(head, "") for head in chosen))
        return out

    # Rich would cut columns that do not fit, so a wide table is printed in parts.
    parts: list[list[tuple[Any, ...]]] = [[]]
    for head in heads:
        if parts[-1] and _width(part([*parts[-1], head])) > width:
            parts.append([])
        parts[-1].append(head)
    return [part(chosen) for chosen in parts]


def _width(table: RichTable) -> int:
    """Return how many terminal columns a table takes without wrapping."""
    return Console(width=10_000).measure(table).maximum


def _cell_text(cell: Cell, reading: str) -> str:
    corrected = "?" if cell.corrected is None else f"{cell.corrected:.12g}"
    if reading == "printed" or cell.unit == "text":
        return cell.printed
    if reading == "corrected":
        return corrected
    if number(cell.printed) == cell.corrected and cell.corrected is not None:
        return cell.printed
    return f"{cell.printed or '(blank)'}\n→ {corrected}"


def _console() -> Console:
    """Return a console on stdout; a pipe gets enough width for wide tables."""
    console = Console()
    return console if console.is_terminal else Console(width=200)


if __name__ == "__main__":
    app()
