"""LaTeX: a console that prints tables with the rules of booktabs, and other text as comments.

So ``--latex`` of a command prints the same numbers as its tables for people do. pandas writes such
tables, too, but lacks rules between groups, and the core runs without it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

_ESCAPES = str.maketrans(
    {
        **{sign: f"\\{sign}" for sign in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "±": r"\ensuremath{\pm}",
        "×": r"\ensuremath{\times}",
        "→": r"\ensuremath{\rightarrow}",
        "–": "--",
        "…": r"\dots{}",
    }
)


def escaped(text: str) -> str:
    """Return a text as LaTeX shows it literally."""
    return text.translate(_ESCAPES)


def tabular(
    heads: Sequence[str], rows: Iterable[Sequence[str] | str | None], *, right: Sequence[bool]
) -> str:
    """Return a table, to be put into a ``table`` of a document that uses booktabs.

    Arguments:
        heads: of the columns. right: whether each holds numbers, aligned right.
        rows: the cells of a row as plain text; a text alone is the name of the group that follows,
            None is a rule.
    """
    lines = [
        r"\begin{tabular}{" + "".join("r" if one else "l" for one in right) + "}",
        r"\toprule",
        " & ".join(map(escaped, heads)) + r" \\",
        r"\midrule",
    ]
    for row in rows:
        if row is None:
            lines.append(r"\midrule")
        elif isinstance(row, str):
            lines.append(rf"\multicolumn{{{len(heads)}}}{{l}}{{{escaped(row)}}} \\")
        else:
            lines.append(" & ".join(map(escaped, row)) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"])


class LatexConsole(Console):
    """Prints a table as a ``tabular``, and everything else as comments."""

    def print(self, *objects: Any, **options: Any) -> None:
        """Print tables and texts; of the options of rich only ``markup`` counts."""
        for one in objects:
            inner = one.renderable if isinstance(one, Padding) else one
            if isinstance(inner, Table) and inner.show_header:
                self.write(_tabular_of(inner))
            elif isinstance(inner, Table):
                self.comment("\n".join("  ".join(row) for row in _rows(inner)))
            else:
                self.comment(_plain(inner) if options.get("markup", True) else str(inner))

    def comment(self, text: str) -> None:
        """Print a text as comments, empty lines left out."""
        for line in text.splitlines():
            if line.strip():
                self.write(f"% {line.strip()}")

    def write(self, text: str) -> None:
        """Print a text as it is."""
        self.file.write(f"{text}\n")


def _tabular_of(view: Table) -> str:
    rows: list[Sequence[str] | None] = []
    for row, cells in zip(view.rows, _rows(view), strict=True):
        rows += [cells, None] if row.end_section else [cells]
    heads = [_plain(column.header) for column in view.columns]
    return tabular(heads, rows, right=[column.justify == "right" for column in view.columns])


def _rows(view: Table) -> list[list[str]]:
    columns = ([_plain(cell) for cell in column.cells] for column in view.columns)
    return [list(row) for row in zip(*columns, strict=True)]


def _plain(cell: Any) -> str:
    return Text.from_markup(cell).plain if isinstance(cell, str) else str(cell)
