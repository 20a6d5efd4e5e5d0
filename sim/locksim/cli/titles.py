"""Names and titles: how ``locklab show`` lists what papers have."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from rich.markup import escape

from lockui import tables

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["print_titles"]


def print_titles(output: Console, heading: str, titles: Mapping[str, str]) -> None:
    """Print a name and its title on each line."""
    view = tables.table()
    tables.add(view, heading)
    tables.add(view, "title", fold=True)
    for name, title in titles.items():
        view.add_row(escape(name), escape(title))
    tables.print_table(output, view)
