"""The tables as pandas frames. pandas is imported inside the functions: it is slow to load."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, get_args

from lockdata.errors import DatasetError
from lockdata.info import TableInfo
from lockdata.store import Table, names, read

if TYPE_CHECKING:
    import pandas as pd

Reading = Literal["corrected", "printed", "both"]
"""Which value to load: the corrected number, the text as printed, or both."""

PRINTED_KEY = "_printed"
"""Suffix of a key that holds another key's printed reading (``patch`` and ``patch_printed``)."""


def list_tables() -> pd.DataFrame:
    """Return one row for each table: name, title, rows, cells, misprints.

    Raises:
        DatasetError: a table's files are malformed.
    """
    import pandas as pd

    infos = [read(name).info for name in names()]
    columns = ["name", "title", "rows", "cells", "misprints"]
    return pd.DataFrame([[getattr(i, c) for c in columns] for i in infos], columns=columns)


def load(name: str, reading: Reading = "corrected") -> pd.DataFrame:
    """Return a table in tidy form, one row for each cell, in the order of the source.

    Arguments:
        name: ``"source/table"``, see `list_tables`.
        reading: ``"corrected"`` gives the keys, ``value`` (a number, NaN where there is none) and
            ``unit``; ``"printed"`` gives the keys, ``value`` (text as printed) and ``unit``;
            ``"both"`` gives the keys, ``printed``, ``corrected``, ``unit``, ``reason`` and
            ``place``. If a key's label was corrected too, ``"both"`` shows both labels, and the
            other readings show theirs.

    Raises:
        DatasetError: the name or the reading is unknown.
    """
    import pandas as pd

    columns, rows = tidy(read(name), reading)
    frame = pd.DataFrame(rows, columns=columns)
    for number in ("corrected", "value"):
        # Otherwise a column of only None would have the type object.
        if number in columns and not (number == "value" and reading == "printed"):
            frame[number] = frame[number].astype("float64")
    return frame


def records(name: str, reading: Reading = "corrected") -> list[dict[str, Any]]:
    """Return a table's rows as `load` has them, without pandas; a missing number is None.

    Arguments:
        name, reading: as in `load`.

    Raises:
        DatasetError: the name or the reading is unknown.
    """
    columns, rows = tidy(read(name), reading)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def pivot(
    name: str,
    reading: Literal["corrected", "printed"] = "corrected",
    rows: list[str] | None = None,
    columns: list[str] | None = None,
) -> pd.DataFrame:
    """Return a table in its row-and-column form, both in the order of the source.

    Arguments:
        name: ``"source/table"``.
        reading: ``"corrected"`` for numbers, ``"printed"`` for the text as printed.
        rows: keys of the rows; the table's own by default.
        columns: keys of the columns; the table's own by default.

    Raises:
        DatasetError: the name, the reading or a key is unknown, or several cells have
            the same keys.
    """
    if reading not in ("corrected", "printed"):
        raise DatasetError(
            f"A table cannot be made of the values {reading!r}. Use corrected or printed."
        )
    info = read(name).info
    down = list(info.row_keys) if rows is None else rows
    across = list(info.column_keys) if columns is None else columns
    frame = load(name, reading)
    for key in (*down, *across):
        if key not in frame.columns[:-2]:
            raise DatasetError(
                f"{name} has no key {key!r}. Its keys are {', '.join(frame.columns[:-2])}."
            )
    if not down or frame.duplicated([*down, *across]).any():
        raise DatasetError(
            f"Keys {', '.join([*down, *across])} do not distinguish the cells of {name}. "
            f"Use more of {', '.join(frame.columns[:-2])}."
        )
    if not across:
        return frame.set_index(down)[["value"]]
    wide = frame.pivot(index=down, columns=across, values="value")
    # pandas sorts by value; a reader expects the source's order.
    wide = wide.reindex(index=frame.set_index(down).index.unique())
    return wide.sort_index(key=_first_seen(frame), axis=1, kind="stable")


def describe(name: str) -> TableInfo:
    """Return the description of a table: title, units, provenance, keys, corrections, notes.

    Arguments:
        name: ``"source/table"``.

    Raises:
        DatasetError: the name is unknown.
    """
    return read(name).info


def _first_seen(frame: pd.DataFrame) -> Callable[[pd.Index], pd.Index]:
    """Return a sort key for index levels: the place of each value's first appearance."""
    import pandas as pd

    def order(level: pd.Index) -> pd.Index:
        seen = {value: place for place, value in enumerate(frame[level.name].unique())}
        return pd.Index([seen[value] for value in level])

    return order


def tidy(table: Table, reading: str) -> tuple[list[str], list[list[Any]]]:
    """Return the column names and the rows of one reading, without pandas.

    Arguments:
        table: the table.
        reading: as in `load`.

    Raises:
        DatasetError: the reading is unknown.
    """
    if reading not in get_args(Reading):
        raise DatasetError(
            f"Unknown kind of values {reading!r}. Use one of {', '.join(get_args(Reading))}."
        )
    keys = [key.name for key in table.info.keys]
    if reading == "both":
        columns = [*keys, "printed", "corrected", "unit", "reason", "place"]
        return columns, [
            [*c.key, c.printed, c.corrected, c.unit, c.reason, c.place] for c in table.cells
        ]
    # Each reading takes its own version of a key and drops the companion.
    kept = [k for k in keys if not k.endswith(PRINTED_KEY)]
    twin = {k: k + PRINTED_KEY for k in kept if k + PRINTED_KEY in keys}
    take = [keys.index(twin.get(k, k) if reading == "printed" else k) for k in kept]
    return [*kept, "value", "unit"], [
        [*(c.key[i] for i in take), c.printed if reading == "printed" else c.corrected, c.unit]
        for c in table.cells
    ]
