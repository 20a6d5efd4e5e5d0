"""Numbers and tables for people: three digits and a unit, nothing cut off at 80 columns.

Rich cuts a cell that does not fit and ends it with an ellipsis. A number that is cut is wrong.
So every column keeps its width or folds, and nothing is drawn narrower than 80 columns. On a
narrower terminal a row is a paragraph (:func:`print_table`).
"""

from __future__ import annotations

import itertools
import math
import shutil
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

from lockui.latex import LatexConsole, tabular

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

#: Most digits for a column of equal decimals.
MOST_DIGITS = 8
#: Columns left of a table.
INDENT = 2
#: The text of a missing value.
DASH = "–"

# Largest first; the last one applies to everything smaller.
_PREFIXES = {
    "1/s": ((1e9, "G/s"), (1e6, "M/s"), (1e3, "k/s"), (1.0, "/s")),
    "ns": ((1e9, "s"), (1e6, "ms"), (1e3, "µs"), (1.0, "ns")),
    "1": ((1.0, ""),),
}


@dataclass(frozen=True)
class Scale:
    """A unit in which values are shown.

    Attributes:
        factor: how many of the value's own unit make one of this.
        unit: its symbol, such as ``M/s``; empty for a bare number.
    """

    factor: float
    unit: str

    def number(self, value: float | None) -> str:
        """Return a value in this unit with three significant digits, without the symbol."""
        return DASH if value is None else digits(value / self.factor)

    def text(self, value: float | None) -> str:
        """Return a value in this unit with the symbol."""
        number = self.number(value)
        return number if number == DASH else f"{number} {self.unit}".rstrip()


def scale_of(value: float, unit: str) -> Scale:
    """Return the scale in which a value has one to three digits before the point.

    Arguments:
        value: the value, in ``unit``.
        unit: ``1/s``, ``ns`` or ``1``; any other unit is kept.
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
    """Return the number of decimals that shows three significant digits of the smallest value.

    Zeros, NaN and infinities do not count. None if the largest value would then need more than
    eight digits.
    """
    sizes = [abs(value) for value in values if value and math.isfinite(value)]
    if not sizes:
        return 0
    places = max(0, 2 - math.floor(math.log10(min(sizes))))
    return places if max(sizes) < 10.0 ** (MOST_DIGITS - places) else None


def fixed(value: float | None, places: int | None) -> str:
    """Return a number with the given decimals, or with four significant digits if None.

    A missing value gives a dash.
    """
    if value is None or not math.isfinite(value):
        return DASH
    if places is None:
        return f"{value:,.0f}" if abs(value) >= 1e4 else f"{value:.4g}"
    return f"{value:,.{places}f}"


def shows(number: str) -> bool:
    """Return whether a printed number has a digit that is not 0."""
    return not set("123456789").isdisjoint(number)


def table() -> Table:
    """Return an empty table in the style that all commands share."""
    return Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=(0, 1, 0, 0),
    )


def add(view: Table, name: str, *, right: bool = False, fold: bool = False) -> None:
    """Add a column that is never cut off.

    Arguments:
        view: the table.
        name: the column's head.
        right: whether it holds numbers, aligned right.
        fold: whether its cells may use several lines in a narrow terminal.
    """
    view.add_column(
        name,
        justify="right" if right else "left",
        no_wrap=not fold,
        overflow="fold" if fold else "ellipsis",
    )


def print_table(output: Console, view: Table) -> None:
    """Print a table after an empty line, indented by two columns.

    On a terminal that is too narrow for it each row is a paragraph with a line for each column.
    """
    output.print()
    wide = INDENT + Measurement.get(output, output.options, view).maximum
    if output.is_terminal and shutil.get_terminal_size().columns < min(wide, output.width):
        for cells in zip(*(column.cells for column in view.columns), strict=True):
            row = Table.grid(padding=(0, 2, 0, 0))
            for column, cell in zip(view.columns, cells, strict=True):
                if cell != "":
                    row.add_row(column.header, cell)
            output.print(Padding(row, (0, 0, 1, INDENT), expand=False))
    else:
        output.print(Padding(view, (0, 0, 0, INDENT), expand=False))


def print_groups(
    output: Console,
    columns: Sequence[str],
    rows: Iterable[tuple[str, Sequence[str]]],
    *,
    right: Collection[str] = (),
) -> None:
    """Print rows below one head, with each group's name on a line above its rows.

    Arguments:
        output: the console.
        columns: the heads.
        rows: the group's name, and one cell for each column, as plain text. Rows of one group
            follow one another.
        right: the columns that hold numbers.
    """
    listed = list(rows)
    if isinstance(output, LatexConsole):
        groups = itertools.groupby(listed, key=lambda row: row[0])
        lines = [line for name, of in groups for line in (name, *(cells for _, cells in of))]
        output.write(tabular(columns, lines, right=[name in right for name in columns]))
        return
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
