"""LaTeX: texts with its special characters escaped, and tables with the rules of booktabs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["escaped", "tabular"]

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
