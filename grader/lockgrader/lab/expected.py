"""Right numbers: plain ones, measures, cells of published tables, and formulas over these.

A lab writes ``expected = { cell = "franke-2001/lockmeter", at = { lock = "avc_lock", cpus = 8,
measure = "util" } }``, or a formula with names for such cells, plain numbers and the student's own
``"$values"``. So the right number follows the variant, and no number of a table is copied into a
lab.
"""

from __future__ import annotations

import functools
import json
import math
from typing import Annotated, Any

from pydantic import Discriminator, Field, Tag

from lockgrader.lab.arithmetic import evaluate
from lockgrader.lab.chatroom import ChatroomRun
from lockgrader.lab.closed import Closed, Number, Text
from lockgrader.lab.measure import Measure
from lockgrader.lab.profiles import Profile as MachineProfile
from lockgrader.lab.report import Report
from lockgrader.lab.trials import Reading


class FormulaError(Exception):
    """A cell does not exist, or a formula gives no number: the lab is wrong."""

    exit_code = 2


class Cell(Closed):
    """A number of a published table (:mod:`lockdata`).

    Arguments:
        cell: ``source/table``. at: the keys that name one cell. printed: whether the number as
            printed counts; by default the corrected one.
    """

    cell: Text
    at: dict[str, str | int | float]
    printed: bool = False

    def number(self) -> float:
        """The cell's number.

        Raises:
            FormulaError: the keys name no cell, or several, or one without a number.
        """
        return _cell(self.cell, json.dumps(self.at, sort_keys=True), self.printed)


class Formula(Closed):
    """Arithmetic over named cells and numbers, such as an identity of a table.

    Arguments:
        formula: as Python writes it (:mod:`lockgrader.lab.arithmetic`).
        where: name → cell, number, number of a report, or measure of a run of Chatroom.
    """

    formula: Text
    where: Annotated[dict[str, Cell | ChatroomRun | Report | Number], Field(min_length=1)]

    def number(self) -> float:
        """The formula's value.

        Raises:
            FormulaError: it has none.
        """
        names = {n: v if isinstance(v, int | float) else v.number() for n, v in self.where.items()}
        try:
            value = evaluate(self.formula, names)
        except (ArithmeticError, SyntaxError, TypeError, ValueError) as error:
            raise FormulaError(f"formula {self.formula!r}: {error}") from error
        if not math.isfinite(value):
            raise FormulaError(f"formula {self.formula!r} gives {value}")
        return value


def _source(value: Any) -> str:
    """Which kind of expected value a lab has written."""
    if not isinstance(value, dict):
        return type(value).__name__.lower() if isinstance(value, Closed) else "number"
    return next(
        (
            key
            for key in ("cell", "formula", "chatroom", "reading", "profile", "report")
            if key in value
        ),
        "measure",
    )


Expected = Annotated[
    Annotated[Number, Tag("number")]
    | Annotated[Measure, Tag("measure")]
    | Annotated[Cell, Tag("cell")]
    | Annotated[Formula, Tag("formula")]
    | Annotated[ChatroomRun, Tag("chatroom")]
    | Annotated[Reading, Tag("reading")]
    | Annotated[MachineProfile, Tag("profile")]
    | Annotated[Report, Tag("report")],
    Discriminator(_source),
]
"""A right value: a number, a measure of a lock or of Chatroom, a cell of a published table, a
formula, a reading of a measured machine, what a profile holds, or a number of a report."""


@functools.cache
def _cell(table: str, at: str, printed: bool) -> float:
    """A cell's number; ``at`` as JSON, since a dict has no hash."""
    import lockdata

    keys = json.loads(at)
    try:
        chosen = lockdata.records(table, "both")
        known = [key.name for key in lockdata.describe(table).keys]
        for key, wanted in keys.items():
            if key not in known:
                raise FormulaError(f"{table} has no key {key!r}; it has {', '.join(known)}")
            chosen = [row for row in chosen if row[key] == wanted]
    except lockdata.DatasetError as error:
        raise FormulaError(str(error)) from error
    if len(chosen) != 1:
        raise FormulaError(f"{table}: {keys} names {len(chosen)} cells, and it must name one")
    (one,) = chosen
    value = lockdata.number(one["printed"]) if printed else one["corrected"]
    if value is None or not math.isfinite(value):
        raise FormulaError(f"{table}: the cell at {keys} has no number")
    return float(value)
