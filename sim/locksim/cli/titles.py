"""Names and titles: how ``locklab show`` lists what papers have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, TypeVar

from rich.markup import escape

from lockui import tables
from lockui.report import Report

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["titles"]

T = TypeVar("T", bound=Mapping[str, object])


def titles(heading: str, found: Sequence[T], about: str = "") -> Report[T | list[T]]:
    """Return a list of entries, a name and a title on each line.

    Arguments:
        heading: of the names. found: dictionaries whose first value is the name, with a ``title``.
        about: what is said of one entry, which is then the document; "" for a list.
    """

    def show(output: Console) -> None:
        view = tables.table()
        tables.add(view, heading)
        tables.add(view, "title", fold=True)
        for entry in found:
            name, *_ = entry.values()
            view.add_row(escape(str(name)), escape(str(entry["title"])))
        tables.print_table(output, view)
        if about:
            output.print(f"\n{about}", markup=False, soft_wrap=True)

    return Report(found[0] if about else list(found), show)
