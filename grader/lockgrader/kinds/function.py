"""A function of the student's own in Python: it gets tables, and what it returns is compared.

The function runs in a sandbox of its own for each check. The tables are the events of a simulated
lock (:mod:`lockgrader.given.lock_trace`), rows of published results
(:mod:`lockgrader.given.published`), the curve of a label cache
(:mod:`lockgrader.given.label_curve`) or trials of a measured machine
(:mod:`lockgrader.lab.trials`). Nothing that the file prints or writes counts.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, model_validator

from lockgrader.check import Check, Part
from lockgrader.finding import Finding, found, near, veiled
from lockgrader.given.label_curve import LabelCurve
from lockgrader.given.lock_trace import LockTrace
from lockgrader.given.published import Rows
from lockgrader.lab.closed import Number, Text
from lockgrader.lab.expected import Cell, Formula
from lockgrader.lab.trials import Trials
from lockgrader.read.refused import Refused
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted

__all__ = ["Function"]


class Function(Check):
    """A function that returns the right numbers for tables that it gets.

    With ``trace`` it gets ``events`` (a list of ``{"ns", "cpu", "what"}``), ``cpus``, ``begin_ns``
    and ``end_ns``, and returns lockmeter's columns by name. With ``trials`` it gets rows of that
    name, and returns the columns of :meth:`lockgrader.lab.trials.Trials.right`. Otherwise it gets a
    list of rows for each name in ``tables`` and the values of ``plain``, and returns the
    ``numbers`` by name (or as rows of ``measure`` and ``value``), or rows with the keys of
    ``wanted`` and a ``value``.

    Arguments:
        file: of the submission; the lab names it in ``data``. function: its name.
        trace: the events of a lock. trials: of a measured machine. columns: which columns count.
        tables: name → rows. plain: name → value. numbers: name → what is right.
        wanted: the right rows. ignore: keys of ``wanted`` that need not be in the returned rows.
        tolerance, fade: of each number, as for an answer. Each has an equal share of the points.
    """

    part: ClassVar[Part] = "data"
    runs_code: ClassVar[bool] = True
    gives_tables: ClassVar[bool] = True
    kind: Literal["function"]
    file: Text
    function: Text
    trace: LockTrace | None = None
    trials: Trials | None = None
    columns: tuple[Text, ...] = ("total", "con", "hold_ns", "wait_ns", "util", "cpu_share")
    tables: dict[str, Rows | LabelCurve] = Field(default_factory=dict)
    plain: dict[str, int | float | str] = Field(default_factory=dict)
    numbers: dict[str, Number | Cell | Formula] = Field(default_factory=dict)
    wanted: Rows | None = None
    ignore: tuple[str, ...] = ()
    tolerance: Annotated[float, Field(ge=0, le=10)] = 0.001
    fade: Annotated[float, Field(ge=0, le=10)] = 0.0

    @model_validator(mode="after")
    def _one_source(self) -> Function:
        if sum(map(bool, (self.trace, self.trials, self.numbers, self.wanted))) != 1:
            raise ValueError("give one of trace, trials, numbers and wanted: what is right")
        if (self.trace or self.trials) and (self.tables or self.plain):
            raise ValueError("with a trace or trials the function gets these, and no tables")
        return self

    def arguments(self) -> dict[str, Any]:
        """What the function gets.

        Raises:
            LabError: there is no such table.
        """
        from lockgrader.given.lock_trace import traced

        if self.trials is not None:
            return {"trials": self.trials.rows()}
        if self.trace is None:
            return {**{name: _rows(asked) for name, asked in self.tables.items()}, **self.plain}
        made = traced(self.trace)._asdict()
        return {**made, "events": [event._asdict() for event in made["events"]]}

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Call the function, and compare what it returns.

        Raises:
            LabError: there is no such table. SandboxError: there is no sandbox.
        """
        from lockgrader.read.python import PythonError, call

        data = submitted.files.get(self.file)
        if data is None:
            return Finding("no_output", 0.0, f"{self.file} is not in the submission", tag="missing")
        try:
            returned = call(self.file, data, self.function, self.arguments(), profile)
        except PythonError as error:
            return Finding("student_error", 0.0, str(error), tag=error.kind)
        except Refused as error:
            return Finding(error.verdict, 0.0, error.message)
        if not returned:
            message = f"{self.function}() returns nothing yet"
            return Finding("no_output", 0.0, message, tag="missing")
        got = self._by_row(returned) if self.wanted is not None else _by_column(returned)
        if isinstance(got, str):
            return Finding("malformed_output", 0.0, f"{self.file}: {self.function}() {got}")
        return self._compared(self._right(), got)

    def _right(self) -> dict[str, float]:
        from lockgrader.given.lock_trace import lockmeter, traced
        from lockgrader.given.published import published

        if self.trace is not None or self.trials is not None:
            right = self.trials.right() if self.trials else lockmeter(*traced(self.trace))
            return {name: right[name] for name in self.columns}
        if self.wanted is None:
            return {
                n: v.number() if isinstance(v, Cell | Formula) else v
                for n, v in self.numbers.items()
            }
        return {self._name(r): float(r["value"]) for r in published(self.wanted)}

    def _compared(self, right: dict[str, float], got: dict[str, float]) -> Finding:
        rows = []
        for name, value in right.items():
            rows.append(near(name, got.get(name, math.nan), value, self.tolerance, self.fade))
        made = veiled(found(rows))
        wrong = [r.what for r in rows if r.share < 1.0]
        if not wrong:
            return made
        missing = [name for name in wrong if name not in got]
        message = f"{len(rows) - len(wrong)} of {len(rows)} numbers are right; {made.message}"
        if missing:
            message = f"{message}; not returned: {', '.join(missing)}"[:1000]
        return dataclasses.replace(made, message=message, tag=wrong[0])

    def _by_row(self, returned: Any) -> dict[str, float] | str:
        """Returned rows by their keys, or what is wrong with them."""
        assert self.wanted is not None
        if not isinstance(returned, list) or not all(isinstance(r, dict) for r in returned):
            return "must return a list of rows, each a dict"
        found: dict[str, float] = {}
        for one in returned:
            value = _number(one.get("value"))
            if value is None:
                return "must give a number as the 'value' of each row"
            try:
                found[self._name(one)] = value
            except KeyError as error:
                return f"must give the key {error} in each row"
        return found

    def _name(self, one: dict[str, Any]) -> str:
        """A row by its keys: those of the wanted table."""
        from lockgrader.given.published import published

        assert self.wanted is not None
        keys = [k for k in published(self.wanted)[0] if k not in ("value", *self.ignore)]
        return ", ".join(f"{key} {one[key]}" for key in keys)


def _rows(asked: Rows | LabelCurve) -> list[dict[str, Any]]:
    """The rows of a table."""
    from lockgrader.given.label_curve import label_curve
    from lockgrader.given.published import published

    if isinstance(asked, LabelCurve):
        return [point._asdict() for point in label_curve(asked)]
    return [*published(asked)]


def _by_column(returned: Any) -> dict[str, float] | str:
    """Returned columns, or what is wrong with them."""
    if isinstance(returned, list) and all(isinstance(r, dict) and "measure" in r for r in returned):
        returned = {str(r["measure"]): r.get("value") for r in returned}
    if not isinstance(returned, dict):
        return "must return a dict: column → number"
    found = {name: _number(value) for name, value in returned.items()}
    wrong = [name for name, value in found.items() if value is None]
    if wrong:
        return f"must give a number as '{wrong[0][:40]}'"
    return {name: value for name, value in found.items() if value is not None}


def _number(value: Any) -> float | None:
    whole = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if whole else None
