"""Numbers and tables as people read them: three digits and a unit, nothing cut at 80 columns.

Rich cuts a cell that does not fit and puts an ellipsis there. A figure that is cut is wrong, so
every column here either keeps its width or folds, and nothing is drawn narrower than 80 columns:
in a narrower terminal it is the terminal that wraps.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from rich import box
from rich.cells import cell_len
from rich.console import Console
from rich.markup import escape
from rich.measure import Measurement
from rich.padding import Padding
from rich.table import Table

__all__ = [
    "DASH",
    "Scale",
    "add",
    "decimals",
    "digits",
    "fixed",
    "print_groups",
    "print_table",
    "scale_of",
    "shows",
    "table",
]

#: Digits that a column of equal decimals may need before it gets too wide.
MOST_DIGITS = 8
#: What stands where there is no figure.
DASH = "–"

# Largest first; the last one takes whatever is left.
_PREFIXES = {
    "1/s": ((1e9, "G/s"), (1e6, "M/s"), (1e3, "k/s"), (1.0, "/s")),
    "ns": ((1e9, "s"), (1e6, "ms"), (1e3, "us"), (1.0, "ns")),
    "1": ((1.0, ""),),
}


@dataclass(frozen=True)
class Scale:
    """A unit to show figures in.

    Attributes:
        factor: how many of the figure's own unit make one of this.
        unit: its sign, such as ``M/s``; empty for a bare number.
    """

    factor: float
    unit: str

    def number(self, value: float | None) -> str:
        """Return a figure in this unit without its sign, three significant digits."""
        return DASH if value is None else digits(value / self.factor)

    def text(self, value: float | None) -> str:
        """Return a figure in this unit with its sign."""
        number = self.number(value)
        return number if number == DASH else f"{number} {self.unit}".rstrip()


def scale_of(value: float, unit: str) -> Scale:
    """Return the scale in which a figure has one to three digits before the point.

    Args:
        value: the figure, in ``unit``.
        unit: ``1/s``, ``ns`` or ``1``; any other is left as it is.
    """
    prefixes = _PREFIXES.get(unit, ((1.0, unit),))
    return Scale(*next((p for p in prefixes if abs(value) >= p[0]), prefixes[-1]))


def digits(value: float) -> str:
    """Return a number with three significant digits and no exponent; a dash for NaN."""
    if not math.isfinite(value):
        return DASH
    if not value:
        return "0"
    places = next((p for limit, p in ((99.95, 0), (9.995, 1)) if abs(value) >= limit), 2)
    return f"{value:,.{places}f}"


def decimals(values: Iterable[float]) -> int | None:
    """Return how many decimals give the smallest of some figures three significant digits.

    Zeros and what is no finite number do not count. None where the largest would then need more
    than eight digits, so that no number of decimals suits all of them.
    """
    sizes = [abs(value) for value in values if value and math.isfinite(value)]
    if not sizes:
        return 0
    places = max(0, 2 - math.floor(math.log10(min(sizes))))
    return places if max(sizes) < 10.0 ** (MOST_DIGITS - places) else None


def fixed(value: float | None, places: int | None) -> str:
    """Return a number with so many decimals, by default with four significant digits.

    A dash where there is none.
    """
    if value is None or not math.isfinite(value):
        return DASH
    if places is None:
        return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"
    return f"{value:,.{places}f}"


def shows(figure: str) -> bool:
    """Whether a printed figure has a digit that is not 0."""
    return not set("123456789").isdisjoint(figure)


def table() -> Table:
    """Return an empty table in the style that all commands share."""
    return Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )


def add(view: Table, name: str, *, right: bool = False, fold: bool = False) -> None:
    """Add a column that is never cut.

    Args:
        view: the table.
        name: the column's head.
        right: whether it holds figures.
        fold: whether it may go on in the next line where the terminal is too narrow.
    """
    view.add_column(
        name,
        justify="right" if right else "left",
        no_wrap=not fold,
        overflow="fold" if fold else "ellipsis",
    )


def print_table(output: Console, view: Table) -> None:
    """Print a table, indented by two columns and with an empty line before it."""
    output.print()
    output.print(Padding(view, (0, 0, 0, 2), expand=False))


def print_groups(
    output: Console,
    columns: Sequence[str],
    rows: Iterable[tuple[str, Sequence[str]]],
    *,
    right: Collection[str] = (),
) -> None:
    """Print rows below one head, as wide as they have to be; a group's name once, above its rows.

    Args:
        output: where to.
        columns: the heads.
        rows: the group's name, and a cell a column. Text, not markup. A group's rows follow one
            another.
        right: the columns that hold figures.
    """
    listed = list(rows)
    widths = [
        max(map(cell_len, column))
        for column in zip(columns, *(cells for _, cells in listed), strict=True)
    ]

    def part(header: bool, rows: Iterable[Sequence[str]]) -> Table:
        view = table()
        view.show_header = header
        for name, width in zip(columns, widths, strict=True):
            add(view, name, right=name in right)
            view.columns[-1].min_width = width
        for row in rows:
            view.add_row(*map(escape, row))
        return view

    head = part(True, ())
    unbounded = output.options.update(max_width=sys.maxsize)
    usual = output.width
    output.width = max(usual, 4 + Measurement.get(output, unbounded, head).minimum)
    output.print()
    output.print(Padding(head, (0, 0, 0, 4), expand=False))
    for name, of in itertools.groupby(listed, key=lambda row: row[0]):
        output.print(Padding(f"[bold]{escape(name)}[/bold]", (0, 0, 0, 2), expand=False))
        output.print(Padding(part(False, (cells for _, cells in of)), (0, 0, 0, 4), expand=False))
    output.width = usual
