"""Rows of a published table (:mod:`lockdata`), as a student's function gets them."""

from __future__ import annotations

import math
from typing import Any

from pydantic import Field

from lockgrader.lab import LabError
from lockgrader.lab.closed import Closed, Number, Text
from lockgrader.lab.expected import Formula

__all__ = ["Rows", "number_of", "published"]

Value = str | int | float
Row = dict[str, Value]


class Rows(Closed):
    """Some rows of a table.

    Arguments:
        table: ``source/table``. where: key → the value, or the values, of the rows to take.
        printed: whether the numbers as printed count; by default the corrected ones.
        times, plus: of all values, for a table of a machine that nobody has measured: each is
            multiplied, then increased. A formula has the values of a variant.
    """

    table: Text
    where: dict[str, Value | tuple[Value, ...]] = Field(default_factory=dict)
    printed: bool = False
    times: Number | Formula = 1.0
    plus: Number | Formula = 0.0


def published(asked: Rows) -> list[Row]:
    """The rows: the table's keys, and ``value``.

    Raises:
        LabError: there is no such table or key, or a cell has no number.
    """
    import lockdata

    try:
        rows = lockdata.records(asked.table, "both")
        keys = [key.name for key in lockdata.describe(asked.table).keys]
    except lockdata.DatasetError as error:
        raise LabError(str(error)) from error
    for key, wanted in asked.where.items():
        if key not in keys:
            raise LabError(f"{asked.table} has no key '{key}'; it has {', '.join(keys)}")
        among = wanted if isinstance(wanted, tuple) else (wanted,)
        rows = [row for row in rows if row[key] in among]
    if not rows:
        raise LabError(f"{asked.table}: no row has {dict(asked.where)}")
    return [{**{key: row[key] for key in keys}, "value": _number(row, asked)} for row in rows]


def _number(row: dict[str, Any], asked: Rows) -> float:
    from lockdata import number

    value = number(row["printed"]) if asked.printed else row["corrected"]
    if value is None or not math.isfinite(value):
        raise LabError(f"{asked.table}: the cell at {row['place']} has no number")
    return float(value) * number_of(asked.times) + number_of(asked.plus)


def number_of(value: Number | Formula) -> float:
    """A plain number, or the value of a formula."""
    return value if isinstance(value, int | float) else value.number()
