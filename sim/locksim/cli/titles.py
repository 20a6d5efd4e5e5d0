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


def titles(
    heading: str, found: Sequence[T], about: str = "", columns: Sequence[str] = ()
) -> Report[T | list[T]]:
    """Return a list of entries, a name and a title on each line.

    Arguments:
        heading: of the names. found: dictionaries whose first value is the name, with a ``title``.
        about: what is said of one entry, which is then the document; "" for a list.
        columns: keys of what stands between name and title.
    """

    def show(output: Console) -> None:
        view = tables.table()
        for column in (heading, *columns):
            tables.add(view, column)
        tables.add(view, "title", fold=True)
        for entry in found:
            name, *_ = entry.values()
            between = (tables.DASH if entry[key] is None else str(entry[key]) for key in columns)
            view.add_row(*map(escape, (str(name), *between, str(entry["title"]))))
        tables.print_table(output, view)
        if about:
            output.print(f"\n{about}", markup=False, soft_wrap=True)

    return Report(found[0] if about else list(found), show)
