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

from pydantic import Field

from lockgrader.check import ByHeart, Check, Part
from lockgrader.finding import Finding, found, near, veiled
from lockgrader.given.call import Call
from lockgrader.lab.closed import Text
from lockgrader.read.refused import Refused
from lockgrader.sandbox import Profile

if TYPE_CHECKING:
    from lockgrader.submitted import Submitted

__all__ = ["Function"]

BY_HEART = "by-heart"
"""The tag of a function that is right in the calls that students see, and wrong in others."""


class Function(Check, Call):
    """A function that returns the right numbers for tables that it gets.

    With ``trace`` it gets ``events`` (a list of ``{"ns", "cpu", "what"}``), ``cpus``, ``begin_ns``
    and ``end_ns``, and returns lockmeter's columns by name. With ``trials`` it gets rows of that
    name, and returns the columns of :meth:`lockgrader.lab.trials.Trials.right`. Otherwise it gets a
    list of rows for each name in ``tables`` and the values of ``plain``, and returns the
    ``numbers`` by name (or as rows of ``measure`` and ``value``), or rows with the keys of
    ``wanted`` and a ``value``.

    Several calls earn what the worst of them earns, so that a function which knows the right
    numbers of one call, in place of computing them, earns nothing.

    Arguments:
        file: of the submission; the lab names it in ``data``. function: its name.
        trace, trials, tables, plain, numbers, wanted: of the first call
            (:class:`lockgrader.given.call.Call`). also: further calls.
        hidden_calls: further ones that only the grader makes; set by ``hidden/checks.toml``.
        columns: which columns of a trace or of trials count.
        ignore: keys of ``wanted`` that need not be in the returned rows.
        tolerance, fade: of each number, as for an answer. Each has an equal share of the points.
    """

    part: ClassVar[Part] = "data"
    runs_code: ClassVar[bool] = True
    gives_tables: ClassVar[bool] = True
    kind: Literal["function"]
    file: Text
    function: Text
    also: tuple[Call, ...] = ()
    hidden_calls: tuple[Call, ...] = ()
    columns: tuple[Text, ...] = ("total", "con", "hold_ns", "wait_ns", "util", "cpu_share")
    ignore: tuple[str, ...] = ()
    tolerance: Annotated[float, Field(ge=0, le=10)] = 0.001
    fade: Annotated[float, Field(ge=0, le=10)] = 0.0

    def arguments(self) -> list[dict[str, Any]]:
        """What the function gets, in each call that students see.

        Raises:
            LabError: there is no such table.
        """
        return [one.given() for one in (self, *self.also)]

    @property
    def by_heart(self) -> ByHeart | None:
        """What is right in the first call."""
        return ByHeart(self.file, self.function, self.returns(self.columns))

    def decide(self, submitted: Submitted, profile: Profile) -> Finding:
        """Call the function, compare what it returns, and keep the worst finding.

        Raises:
            LabError: there is no such table. SandboxError: there is no sandbox.
        """
        data = submitted.files.get(self.file)
        if data is None:
            return Finding("no_output", 0.0, f"{self.file} is not in the submission", tag="missing")
        seen = [self, *self.also]
        worst = Finding("pass", 1.0)
        for number, one in enumerate([*seen, *self.hidden_calls]):
            made = self._called(one, data, profile)
            if number == 0:
                worst = made
            elif made.verdict != "pass" and made.share < worst.share:
                which = f"the arguments of call {number + 1} ('lab given' writes NAME-{number + 1})"
                which = which if number < len(seen) else "other arguments"
                says, tag = f"with {which}: {made.message}", made.tag
                if number >= len(seen) and worst.verdict == "pass":
                    says, tag = f"right for the arguments that you can see; {says}", BY_HEART
                worst = dataclasses.replace(made, message=says, tag=tag)
            if not worst.share:
                break
        return worst

    def _called(self, one: Call, data: bytes, profile: Profile) -> Finding:
        """The finding of one call."""
        from lockgrader.read.python import PythonError, call

        try:
            returned = call(self.file, data, self.function, one.given(), profile)
        except PythonError as error:
            return Finding("student_error", 0.0, str(error), tag=error.kind)
        except Refused as error:
            return Finding(error.verdict, 0.0, error.message)
        if not returned:
            message = f"{self.function}() returns nothing yet"
            return Finding("no_output", 0.0, message, tag="missing")
        got = self._by_row(one, returned) if one.wanted is not None else _by_column(returned)
        if isinstance(got, str):
            return Finding("malformed_output", 0.0, f"{self.file}: {self.function}() {got}")
        return self._compared(one.right_numbers(self.columns, self.ignore), got)

    def _compared(self, right: dict[str, float], got: dict[str, float]) -> Finding:
        rows = []
        for name, value in right.items():
            rows.append(near(name, got.get(name, math.nan), value, self.tolerance, self.fade))
        made = veiled(found(rows))
        wrong = [r.what for r in rows if r.share < 1.0]
        if not wrong:
            return made
        missing = [name for name in wrong if name not in got]
        nearly = sum(0.0 < r.share < 1.0 for r in rows)
        says = f"are right, {nearly} nearly" if nearly else "are right"
        message = f"{len(rows) - len(wrong)} of {len(rows)} numbers {says}; {made.message}"
        if missing:
            message = f"{message}; not returned: {', '.join(missing)}"[:1000]
        return dataclasses.replace(made, message=message, tag=wrong[0])

    def _by_row(self, one: Call, returned: Any) -> dict[str, float] | str:
        """Returned rows by their keys, or what is wrong with them."""
        if not isinstance(returned, list) or not all(isinstance(r, dict) for r in returned):
            return "must return a list of rows, each a dict"
        found: dict[str, float] = {}
        for row in returned:
            value = _number(row.get("value"))
            if value is None:
                return "must give a number as the 'value' of each row"
            try:
                found[one.row_name(row, self.ignore)] = value
            except KeyError as error:
                return f"must give the key {error} in each row"
        return found


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
